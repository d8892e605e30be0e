//! How an operation ends: commit and record, roll back and record, or roll back and release.

use std::time::Duration;

use tokio_util::task::task_tracker::TaskTrackerToken;

use super::unit::Unit;
use super::{Claimed, Engine, Finished, Found, Held, Timer, replay};
use crate::error::{Error, Result};
use crate::memo::Memo;
use crate::spec::Spec;
use crate::store::session::Session;
use crate::store::{Attempt, Database, Store};

/// What becomes of the body's writes and of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The writes are kept and the answer recorded, in one commit.
    Commit,
    /// The writes are undone, the answer is recorded.
    Undo,
    /// The writes are undone and the key is free again.
    Release,
}

/// What the caller gets.
#[derive(Debug)]
pub(crate) enum End {
    /// The body's own answer.
    Own,
    /// The recorded answer of an attempt that got in between.
    Other(Memo),
}

/// How long a rollback may take before its connection is closed instead: a body that was given up
/// may have left a statement running on it.
pub(super) const ROLLBACK_PATIENCE: Duration = Duration::from_secs(1);

/// How often an unknown outcome is written down before it is left to the log.
const UNKNOWN_TRIES: u32 = 3;

impl<Db: Database> Engine<Db> {
    /// Commits the body's writes together with the memo.
    ///
    /// # Errors
    /// Everything is undone, but for [`Error::Unavailable`] when the reply to `COMMIT` was lost and
    /// [`Error::TransactionEnded`].
    pub(crate) async fn commit(
        &self,
        spec: &Spec,
        claimed: Claimed<Db>,
        memo: Memo,
        timer: &mut Timer,
    ) -> Result<End> {
        if claimed.loan.is_lent() {
            return self.commit_joined(spec, claimed, &memo, timer).await;
        }
        let (unit, held, _running) = taken_apart(claimed)?;
        let Unit {
            mut session,
            seats,
            ended,
            poisoned,
            ..
        } = unit;
        timer.restart(self.timeout(spec));
        let Some(held) = held else {
            let unit = (session, ended, poisoned);
            self.commit_unprotected(spec, unit, timer).await?;
            return Ok(End::Own);
        };
        if poisoned || !ended.is_empty() {
            // Nothing is committed any more, unless a body did that by itself.
            if ended.is_empty() && self.store.is_intact(&mut session).await {
                self.undo(&mut session).await;
                return Err(left_half_way());
            }
            return Err(self.outcome_unknown(spec, session, Some(held), ended).await);
        }
        match self
            .write(session, &held.attempt, memo, Some(spec.ttl), timer)
            .await
        {
            Ok(finished) => {
                held.done(finished);
                // Whoever waits for what joined asks the store, which has it now.
                drop(seats);
                Ok(End::Own)
            }
            Err((Error::TransactionEnded, session)) => {
                Err(self.outcome_unknown(spec, session, Some(held), ended).await)
            }
            Err((error, mut session)) => {
                self.undo(&mut session).await;
                Err(error)
            }
        }
    }

    /// Commits the writes of a request that carries no key, and of what joined it.
    async fn commit_unprotected(
        &self,
        spec: &Spec,
        (mut session, ended, poisoned): (Session<Db>, Vec<Held>, bool),
        timer: &mut Timer,
    ) -> Result<()> {
        if !ended.is_empty() {
            return Err(self.outcome_unknown(spec, session, None, ended).await);
        }
        if poisoned {
            self.undo(&mut session).await;
            return Err(left_half_way());
        }
        if !self.store.is_intact(&mut session).await {
            self.undo(&mut session).await;
            return Err(Error::TransactionEnded);
        }
        let committed = timer.bound(async {
            // PostgreSQL answers COMMIT of a failed transaction with a rollback and no error.
            self.store.adopt(&mut session).await.map_err(|error| {
                Error::unwritable(
                    "a failed statement, which the body ignored, undid its other writes",
                    error,
                )
            })?;
            self.store.commit(&mut session).await
        });
        let committed = committed.await.and_then(|committed| committed);
        if committed.is_err() {
            self.undo(&mut session).await;
        }
        committed
    }

    /// Undoes the body's writes and frees the key.
    ///
    /// # Errors
    /// [`Error::TransactionEnded`] when the body has ended its transaction by itself.
    pub(crate) async fn release(&self, spec: &Spec, claimed: Claimed<Db>) -> Result<End> {
        if claimed.loan.is_lent() {
            return self.release_joined(claimed).await;
        }
        let (_session, _held) = self.roll_back(spec, claimed).await?;
        Ok(End::Own)
    }

    /// Undoes the body's writes and records its answer all the same, in a transaction of its own.
    ///
    /// # Errors
    /// As for a claim that records; the writes are undone in each case but
    /// [`Error::TransactionEnded`].
    pub(crate) async fn undo_and_record(
        &self,
        spec: &Spec,
        claimed: Claimed<Db>,
        memo: Memo,
    ) -> Result<End> {
        if claimed.loan.is_lent() {
            return self.undo_and_record_joined(spec, claimed, &memo).await;
        }
        // Until the answer is recorded: the rollback's own token ends with it.
        let _running = self.running.token();
        let (session, held) = self.roll_back(spec, claimed).await?;
        let Some(held) = held else {
            return Ok(End::Own);
        };
        held.claiming();
        let (end, finished) = self
            .record_alone(spec, Some(session), &held.attempt, memo, Some(spec.ttl))
            .await?;
        let ours = held.attempt.fingerprint;
        held.done(finished.clone());
        match end {
            End::Own => Ok(End::Own),
            End::Other(_) => replay(&ours, finished).map(End::Other),
        }
    }

    /// Rolls back, after making sure that there still is something to roll back.
    async fn roll_back(
        &self,
        spec: &Spec,
        claimed: Claimed<Db>,
    ) -> Result<(Session<Db>, Option<Held>)> {
        let (unit, held, _running) = taken_apart(claimed)?;
        let Unit {
            mut session,
            seats: _seats,
            ended,
            ..
        } = unit;
        let intact = self.store.is_intact(&mut session);
        let intact = tokio::time::timeout(ROLLBACK_PATIENCE, intact).await;
        match (intact, held) {
            (_, held) if !ended.is_empty() => {
                Err(self.outcome_unknown(spec, session, held, ended).await)
            }
            (Ok(false), held @ Some(_)) => {
                Err(self.outcome_unknown(spec, session, held, ended).await)
            }
            (Err(_), Some(Held { attempt, .. })) => {
                let abandoned = self.store.abandon(session, &attempt);
                // One that takes longer is left to the server.
                let _ = tokio::time::timeout(ROLLBACK_PATIENCE, abandoned).await;
                Err(Error::timed_out())
            }
            (_, held) => {
                self.undo(&mut session).await;
                Ok((session, held))
            }
        }
    }

    /// Writes down that a body ended its own transaction, so that none of the operations that were
    /// in it is run again.
    pub(super) async fn outcome_unknown(
        &self,
        spec: &Spec,
        mut session: Session<Db>,
        held: Option<Held>,
        joined: Vec<Held>,
    ) -> Error {
        self.undo(&mut session).await;
        let mut session = session.is_own().then_some(session);
        for held in held.into_iter().chain(joined) {
            self.record_unknown(spec, session.take(), held).await;
        }
        Error::TransactionEnded
    }

    async fn record_unknown(&self, spec: &Spec, mut session: Option<Session<Db>>, held: Held) {
        let attempt = &held.attempt;
        tracing::error!(
            scope = attempt.scope,
            key = %attempt.identity,
            "the operation ended its own transaction; its outcome is unknown and it is not run \
             again until its record is forgotten"
        );
        held.claiming();
        for _ in 0..UNKNOWN_TRIES {
            let memo = Memo::unknown();
            match self
                .record_alone(spec, session.take(), attempt, memo, None)
                .await
            {
                Ok((_, finished)) => {
                    held.done(finished);
                    return;
                }
                Err(error) => tracing::error!(
                    scope = attempt.scope,
                    key = %attempt.identity,
                    error = &error as &dyn std::error::Error,
                    "the unknown outcome could not be recorded"
                ),
            }
        }
    }

    /// Claims again and records an answer without any writes beside it; or finds the answer of
    /// whoever got in between.
    async fn record_alone(
        &self,
        spec: &Spec,
        session: Option<Session<Db>>,
        attempt: &Attempt,
        memo: Memo,
        ttl: Option<Duration>,
    ) -> Result<(End, Finished)> {
        match self
            .claim(spec, attempt, session, self.patience(spec))
            .await?
        {
            Found::Free(session, mut timer) => {
                match self.write(session, attempt, memo, ttl, &mut timer).await {
                    Ok(finished) => Ok((End::Own, finished)),
                    Err((error, mut session)) => {
                        self.undo(&mut session).await;
                        Err(error)
                    }
                }
            }
            Found::Done(finished) => Ok((End::Other(finished.memo.clone()), finished)),
        }
    }

    /// Records and commits; only then may the cache and other callers see the answer.
    async fn write(
        &self,
        mut session: Session<Db>,
        attempt: &Attempt,
        memo: Memo,
        ttl: Option<Duration>,
        timer: &mut Timer,
    ) -> Result<Finished, (Error, Session<Db>)> {
        let asked = self.cache.asking();
        let confirmed = timer.bound(async {
            self.store.record(&mut session, attempt, &memo, ttl).await?;
            self.store.commit(&mut session).await
        });
        if let Ok(Err(error)) | Err(error) = confirmed.await {
            return Err((error, session));
        }
        let finished = Finished {
            fingerprint: attempt.fingerprint,
            memo,
        };
        self.cache.keep(attempt.identity, &finished, ttl, asked);
        Ok(finished)
    }

    pub(super) async fn undo(&self, session: &mut Session<Db>) {
        // One that takes longer is left to the session's drop.
        let _ = tokio::time::timeout(ROLLBACK_PATIENCE, self.store.rollback(session)).await;
    }
}

/// The transaction of an operation that is not joined, what it holds, and its place in the count.
type TakenApart<Db> = (Unit<Db>, Option<Held>, Option<TaskTrackerToken>);

fn taken_apart<Db: Database>(claimed: Claimed<Db>) -> Result<TakenApart<Db>> {
    let Claimed {
        loan,
        held,
        _running,
    } = claimed;
    let unit = loan.into_unit().ok_or_else(left_half_way)?;
    Ok((unit, held, _running))
}

/// For a unit whose join was dropped or leaked before it ended.
pub(super) fn left_half_way() -> Error {
    Error::unavailable(
        "an operation that joined this transaction was dropped before it ended, so everything was \
         undone",
    )
}
