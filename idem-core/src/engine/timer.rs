//! `Timer`: bounds one operation's work by its `timeout`, from phase to phase.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::error::{Error, Result};

/// One for each operation rather than one for each phase: setting a tokio timer takes a lock and
/// may wake a thread, moving one later does neither.
pub(crate) struct Timer(Pin<Box<Sleep>>);

impl Timer {
    /// Runs out after `timeout`.
    pub(super) fn new(timeout: Duration) -> Self {
        Timer(Box::pin(tokio::time::sleep(timeout)))
    }

    /// Runs out `timeout` from now instead.
    pub(super) fn restart(&mut self, timeout: Duration) {
        self.0.as_mut().reset(Instant::now() + timeout);
    }

    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }

    /// Lets `work` go on until the timer runs out.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it does.
    pub(crate) async fn bound<T>(&mut self, work: impl Future<Output = T>) -> Result<T> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.0.as_mut() => {
                Err(Error::unavailable("the database did not answer within the timeout"))
            }
        }
    }
}
