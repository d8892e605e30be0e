//! `Unstoppable`: work that outlives whoever waits for it.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

/// Drives work in the task that asks for it; dropped half-way, as when a client hangs up, it goes on
/// in a task of its own.
///
/// A task for each operation from the start would do the same, at the price of waking another
/// thread for it and waiting for that one.
pub(crate) struct Unstoppable<T: 'static> {
    /// `None` once it is through.
    work: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    /// Whether there is anything to go on with.
    begun: bool,
}

impl<T: 'static> Unstoppable<T> {
    pub(crate) fn new(work: impl Future<Output = T> + Send + 'static) -> Self {
        Unstoppable {
            work: Some(Box::pin(work)),
            begun: false,
        }
    }
}

impl<T: 'static> Future for Unstoppable<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.begun = true;
        let work = self.work.as_mut().expect("BUG: polled after it was ready");
        let polled = work.as_mut().poll(context);
        if polled.is_ready() {
            self.work = None;
        }
        polled
    }
}

impl<T: 'static> Drop for Unstoppable<T> {
    fn drop(&mut self) {
        // Without a runtime nothing can go on; what it holds is rolled back. A panicking poll's
        // work is not polled again.
        if let (true, false, Some(work), Ok(runtime)) = (
            self.begun,
            std::thread::panicking(),
            self.work.take(),
            Handle::try_current(),
        ) {
            runtime.spawn(async { drop(work.await) });
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_has_begun_goes_on_when_it_is_dropped() {
        let (go_on, wait) = oneshot::channel::<()>();
        let (done, ended) = oneshot::channel();
        let mut work = Box::pin(Unstoppable::new(async move {
            wait.await.unwrap();
            done.send(()).unwrap();
        }));
        assert!(futures_util::poll!(work.as_mut()).is_pending());
        drop(work);
        go_on.send(()).unwrap();
        ended.await.unwrap();
    }

    #[tokio::test]
    async fn what_has_not_begun_never_does() {
        let (done, ended) = oneshot::channel::<()>();
        drop(Unstoppable::new(async move {
            done.send(()).unwrap();
        }));
        assert!(ended.await.is_err());
    }
}
