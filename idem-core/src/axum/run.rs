//! `Run`: drives the body of an annotated handler from its claim to its answer.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use axum::response::Response;
use futures_util::FutureExt as _;
use tracing::Instrument as _;

use super::memo::{Buffered, replay};
use super::policy::ending;
use super::problem::{panicked, problem};
use crate::call::Call;
use crate::drive::{Ended, drive};
use crate::engine::inside::inside;
use crate::engine::{Claimed, End, Ending, Timer};
use crate::error::Error;
use crate::store::Database;
use crate::tx::Tx;
use crate::unstoppable::Unstoppable;

/// What the body of a handler comes to: its transaction, whether it is an `Err`, its answer.
type Finished<Db> = (Tx<Db>, bool, Response);

/// The body of a handler, boxed so that its driver is compiled once per database. A panic in it
/// is an answer like any other.
type Body<Db> = Pin<Box<dyn Future<Output = std::thread::Result<Finished<Db>>> + Send>>;

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
        let body = AssertUnwindSafe(inside(&self.call.engine, body)).catch_unwind();
        let driven = self.drive(Box::pin(body)).instrument(span);
        let driven = AssertUnwindSafe(driven).catch_unwind();
        Unstoppable::new(driven.map(|driven| driven.unwrap_or_else(|_| panicked())))
    }

    async fn drive(self, body: Body<Db>) -> Response {
        let (ended, timer) = drive(&self.call, body).await;
        let (outcome, response) = match ended {
            Ended::Answered(Ok(memo)) => ("replayed", replay(&memo)),
            Ended::Answered(Err(error)) => refuse(&error),
            Ended::Body(Ok((tx, is_err, response))) => match (tx.take_claimed(), timer) {
                (Some(claimed), Some(timer)) => {
                    self.conclude(claimed, timer, is_err, response).await
                }
                _ => unreachable!("BUG: a body ended without a claim"),
            },
            Ended::Body(Err(_)) => match self.call.release_abandoned().await {
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
