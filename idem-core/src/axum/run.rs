//! `Run`: drives the body of an annotated handler from its claim to its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::response::Response;
use tracing::Instrument as _;

use super::memo::{Buffered, replay};
use super::policy::ending;
use super::problem::{panicked, problem};
use super::unstoppable::Unstoppable;
use crate::call::Call;
use crate::engine::{Claimed, End, Ending, Timer};
use crate::error::{Error, Result};
use crate::memo::Memo;
use crate::store::Database;
use crate::tx::Tx;

/// What the body of a handler comes to: its transaction, whether it is an `Err`, its answer.
type Finished<Db> = (Tx<Db>, bool, Response);

/// The body of a handler, boxed so that its driver is compiled once per database.
type Body<Db> = Pin<Box<dyn Future<Output = Finished<Db>> + Send>>;

/// One call of a handler, ready to run.
#[doc(hidden)]
pub struct Run<Db: Database> {
    call: Arc<Call<Db>>,
}

impl<Db: Database> std::fmt::Debug for Run<Db> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("scope", &self.call.spec.scope)
            .finish_non_exhaustive()
    }
}

/// How polling a body ended.
#[expect(clippy::large_enum_variant, reason = "lives on the stack for a moment")]
enum Ended<Db: Database> {
    Body(Finished<Db>),
    /// It was not to run.
    Answered(Result<Memo>),
    Panicked,
    TimedOut,
}

impl<Db: Database> Run<Db> {
    pub(super) fn new(call: Arc<Call<Db>>) -> Self {
        Run { call }
    }

    /// Runs `body` unless its answer exists already. What has begun ends whole, whether or not
    /// anybody still waits for it.
    // Not `async`, so that the handler's own future holds a pointer instead of the body.
    pub fn run<F>(self, body: F) -> impl Future<Output = Response> + Send
    where
        F: Future<Output = Finished<Db>> + Send + 'static,
    {
        let span = self.call.span.clone();
        Unstoppable::new(self.drive(Box::pin(body)).instrument(span))
    }

    async fn drive(self, mut body: Body<Db>) -> Response {
        // Waiting for other attempts does not count: the timer starts with the claim.
        let mut timer = None;
        let ended = std::future::poll_fn(|context| {
            let polled = self.poll(&mut body, context);
            if timer.is_none() {
                timer = self.call.take_timer();
            }
            match (polled, &mut timer) {
                (Poll::Pending, Some(timer)) => timer.poll(context).map(|()| Ended::TimedOut),
                (polled, _) => polled,
            }
        })
        .await;
        // Dropped first, so that an unfinished body gives its claim back.
        drop(body);
        self.end(ended, timer).await
    }

    fn poll(&self, body: &mut Body<Db>, context: &mut Context<'_>) -> Poll<Ended<Db>> {
        // A body that panicked is never polled again.
        match catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(context))) {
            Ok(Poll::Ready(finished)) => Poll::Ready(Ended::Body(finished)),
            Ok(Poll::Pending) => match self.call.take_answer() {
                Some(answer) => Poll::Ready(Ended::Answered(answer)),
                None => Poll::Pending,
            },
            Err(_) => Poll::Ready(Ended::Panicked),
        }
    }

    async fn end(&self, ended: Ended<Db>, timer: Option<Timer>) -> Response {
        let (outcome, response) = match ended {
            Ended::Answered(Ok(memo)) => ("replayed", replay(&memo)),
            Ended::Answered(Err(error)) => refuse(&error),
            Ended::Body((tx, is_err, response)) => match (tx.take_claimed(), timer) {
                (Some(claimed), Some(timer)) => {
                    self.conclude(claimed, timer, is_err, response).await
                }
                _ => unreachable!("BUG: a body ended without a claim"),
            },
            Ended::Panicked => match self.call.release_abandoned().await {
                Ok(()) => ("panicked", panicked()),
                Err(error) => refuse(&error),
            },
            Ended::TimedOut => {
                let ended = self.call.release_abandoned().await;
                refuse(&ended.err().unwrap_or_else(Error::timed_out))
            }
        };
        self.call.span.record("outcome", outcome);
        response
    }

    /// Ends the operation of a body that ran to its end.
    async fn conclude(
        &self,
        claimed: Claimed<Db>,
        mut timer: Timer,
        is_err: bool,
        response: Response,
    ) -> (&'static str, Response) {
        let Call { engine, spec, .. } = &*self.call;
        let ending = ending(spec.memoize, is_err, response.status());
        if ending == Ending::Release {
            return match engine.release(spec, claimed).await {
                Ok(_) => ("released", response),
                Err(error) => refuse(&error),
            };
        }
        let read = Buffered::read(response, engine.settings.max_memo_bytes);
        let buffered = match timer
            .bound(read)
            .await
            .unwrap_or_else(|_| Err(Error::timed_out()))
        {
            Ok(buffered) => buffered,
            Err(error) => {
                let released = engine.release(spec, claimed).await;
                return refuse(&released.err().unwrap_or(error));
            }
        };
        let memo = buffered.memo(&engine.settings.stored_headers);
        let ended = match ending {
            Ending::Commit => engine.commit(spec, claimed, memo, &mut timer).await,
            _ => engine.undo_and_record(spec, claimed, memo).await,
        };
        match ended {
            Ok(End::Own) => ("ran", buffered.into_response()),
            Ok(End::Other(memo)) => ("replayed", replay(&memo)),
            Err(error) => refuse(&error),
        }
    }
}

/// The answer to an operation the engine did not let run, or undid; logged if it is the server's
/// own doing. Errors never hold keys, bodies or answers.
fn refuse(error: &Error) -> (&'static str, Response) {
    if error.status().is_server_error() {
        tracing::error!(
            error = error as &(dyn std::error::Error + 'static),
            "the operation did not complete"
        );
    }
    (error.name(), problem(error))
}
