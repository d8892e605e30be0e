//! `Door`: drives the body of a plain fn or a job from its claim to its answer.

use std::sync::Arc;

use tracing::Instrument as _;

use crate::call::Call;
use crate::drive::{Ended, drive};
use crate::engine::inside::inside;
use crate::engine::{Claimed, End, Ending, Home, Timer};
use crate::error::{Error, Result};
use crate::memo::{Kind, Memo};
use crate::private::answers::Codecs;
use crate::spec::Memoize;
use crate::store::Database;
use crate::tx::Tx;
use crate::unstoppable::Unstoppable;

/// One call of a plain fn or a job, ready to run. Dropped half-way it undoes what its body wrote.
#[doc(hidden)]
pub struct Door<'a, Db: Database> {
    call: Arc<Call<Db>>,
    /// The operation that lent its transaction, and where that comes back.
    outer: Option<(&'a mut Tx<Db>, Home<Db>)>,
}

/// Why a call has no value: what the fn's own error, or a job's, is made from.
#[derive(Debug)]
pub(crate) enum Failure<E> {
    /// The engine did not let it run, or undid it.
    Engine(Error),
    /// The body's own, not recorded.
    Body(E),
    /// The body's own, recorded now or earlier.
    Final(E),
}

impl<Db: Database> std::fmt::Debug for Door<'_, Db> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door")
            .field("scope", &self.call.spec.scope)
            .finish_non_exhaustive()
    }
}

impl<'a, Db: Database> Door<'a, Db> {
    pub(crate) fn new(call: Arc<Call<Db>>, outer: Option<(&'a mut Tx<Db>, Home<Db>)>) -> Self {
        Door { call, outer }
    }

    /// Runs `body` unless its answer exists already; its errors as the fn declares them.
    ///
    /// # Errors
    /// The body's own, and the engine's as one of them.
    // Not `async`, so that the fn's own future holds a pointer instead of the body.
    pub fn declared<T, E, F>(
        self,
        codecs: Codecs<T, E>,
        engine_errors: fn(Error) -> E,
        body: F,
    ) -> impl Future<Output = Result<T, E>>
    where
        F: Future<Output = (Tx<Db>, Result<T, E>)>,
    {
        let run = self.run(codecs, body);
        async move {
            run.await.map_err(|failure| match failure {
                Failure::Engine(error) => engine_errors(error),
                Failure::Body(error) | Failure::Final(error) => error,
            })
        }
    }

    /// Runs `body` unless its answer exists already.
    ///
    /// # Errors
    /// The body's own, and the engine's.
    pub(crate) fn run<T, E, F>(
        self,
        codecs: Codecs<T, E>,
        body: F,
    ) -> impl Future<Output = Result<T, Failure<E>>>
    where
        F: Future<Output = (Tx<Db>, Result<T, E>)>,
    {
        let span = self.call.span.clone();
        let body = Box::pin(inside(&self.call.engine, body));
        let driven = async move {
            // The body is dropped before `self`, which then looks after what it left.
            let (ended, timer) = drive(&self.call, body).await;
            let (outcome, answer) = match ended {
                Ended::Answered(Ok(memo)) => ("replayed", codecs.read(&memo)),
                Ended::Answered(Err(error)) => refused(error),
                Ended::Body((tx, answer)) => match (tx.take_claimed(), timer) {
                    (Some(claimed), Some(timer)) => {
                        self.conclude(claimed, timer, &codecs, answer).await
                    }
                    _ => unreachable!("BUG: a body ended without a claim"),
                },
                Ended::TimedOut => {
                    let ended = self.call.release_abandoned().await;
                    refused(ended.err().unwrap_or_else(Error::timed_out))
                }
            };
            self.call.span.record("outcome", outcome);
            answer
        };
        Box::pin(driven.instrument(span))
    }

    /// Ends the operation of a body that ran to its end.
    async fn conclude<T, E>(
        &self,
        claimed: Claimed<Db>,
        timer: Timer,
        codecs: &Codecs<T, E>,
        answer: Result<T, E>,
    ) -> (&'static str, Result<T, Failure<E>>) {
        let limit = self.call.engine.settings.max_memo_bytes;
        let records_errors = !matches!(self.call.spec.memoize, Memoize::Success);
        let (ending, memo) = match &answer {
            Ok(value) => (Ending::Commit, codecs.ok(value, limit)),
            Err(error) if records_errors && codecs.is_final(error) => {
                (Ending::Undo, codecs.final_error(error, limit))
            }
            Err(_) => (Ending::Release, Ok(Memo::unknown())),
        };
        let memo = match memo {
            Ok(memo) => memo,
            Err(error) => {
                let released = self.end(claimed, timer, Ending::Release, Memo::unknown());
                return refused(released.await.err().unwrap_or(error));
            }
        };
        match (self.end(claimed, timer, ending, memo).await, answer) {
            (Ok(End::Own), Ok(value)) => ("ran", Ok(value)),
            (Ok(End::Own), Err(error)) if ending == Ending::Undo => {
                ("ran", Err(Failure::Final(error)))
            }
            (Ok(End::Own), Err(error)) => ("released", Err(Failure::Body(error))),
            (Ok(End::Other(memo)), _) => ("replayed", codecs.read(&memo)),
            (Err(error), _) => refused(error),
        }
    }

    /// Ends the operation, whole even if nobody waits for it any more; a joined one is part of the
    /// operation around it, which then cannot record.
    async fn end(
        &self,
        claimed: Claimed<Db>,
        mut timer: Timer,
        ending: Ending,
        memo: Memo,
    ) -> Result<End> {
        let (engine, spec) = (Arc::clone(&self.call.engine), self.call.spec);
        let end = async move {
            match ending {
                Ending::Commit => engine.commit(spec, claimed, memo, &mut timer).await,
                Ending::Undo => engine.undo_and_record(spec, claimed, memo).await,
                Ending::Release => engine.release(spec, claimed).await,
            }
        };
        match &self.outer {
            None => Unstoppable::new(end).await,
            Some(_) => Box::pin(end).await,
        }
    }
}

impl<Db: Database> Drop for Door<'_, Db> {
    fn drop(&mut self) {
        let abandoned = self.call.take_abandoned();
        match &mut self.outer {
            Some((outer, home)) => {
                // Comes home poisoned.
                drop(abandoned);
                outer.take_back(home);
            }
            None => {
                let (Some(claimed), Ok(runtime)) =
                    (abandoned, tokio::runtime::Handle::try_current())
                else {
                    return;
                };
                let call = Arc::clone(&self.call);
                runtime.spawn(async move {
                    // Nobody is left to hear of it; what matters is recorded.
                    let _ = call.engine.release(call.spec, claimed).await;
                });
            }
        }
    }
}

fn refused<T, E>(error: Error) -> (&'static str, Result<T, Failure<E>>) {
    (error.name(), Err(Failure::Engine(error)))
}

impl<T, E> Codecs<T, E> {
    /// Reads a recorded answer.
    fn read(&self, memo: &Memo) -> Result<T, Failure<E>> {
        let unreadable = Failure::Engine(Error::MemoUnreadable {
            reason: "it was recorded by another form of the operation",
        });
        match (memo.kind(), self.error()) {
            (Kind::Value, _) => (self.value().read)(&memo.payload()).map_err(Failure::Engine),
            (Kind::FinalError, Some(codec)) => Err(match (codec.read)(&memo.payload()) {
                Ok(error) => Failure::Final(error),
                Err(unreadable) => Failure::Engine(unreadable),
            }),
            (Kind::Unknown, _) => Err(Failure::Engine(Error::TransactionEnded)),
            _ => Err(unreadable),
        }
    }
}
