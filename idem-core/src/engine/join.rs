//! Joins: an operation inside the transaction of another one, in a savepoint of its own.

use std::time::Instant;

use super::backoff::Backoff;
use super::decide::{State, Verdict, decide};
use super::end::{ROLLBACK_PATIENCE, left_half_way};
use super::unit::{Loan, Unit};
use super::{Asked, Claimed, End, Engine, Finished, Held, Timer, Waited, replay};
use crate::error::{Error, Result};
use crate::memo::Memo;
use crate::spec::Spec;
use crate::store::session::Savepoint;
use crate::store::{Attempt, Claim, Database, Store};

/// What asking for a key inside a transaction came to.
enum Found {
    Free(Savepoint, Timer),
    Done(Finished),
}

impl<Db: Database> Engine<Db> {
    /// Claims the key inside the lent transaction, or finds the answer there or of a committed
    /// attempt; waits inside the transaction. A join that is refused or answered gives the
    /// transaction back as it was.
    ///
    /// # Errors
    /// [`Error::Nested`] for an operation inside itself, else as for a claim.
    pub(crate) async fn join(
        &self,
        spec: &Spec,
        attempt: Attempt,
        mut loan: Loan<Db>,
    ) -> Result<Asked<Db>> {
        let unit = loan.unit_mut().ok_or_else(left_half_way)?;
        if unit.poisoned {
            return Err(left_half_way());
        }
        if unit.inside.contains(&attempt.identity) {
            loan.settle();
            return Err(Error::Nested);
        }
        let patience = self.patience(spec);
        let joined_before = unit.seats.len();
        let seat = if unit.has_seat(&attempt.identity) {
            None
        } else {
            let waited = self
                .places
                .join(attempt.identity, &attempt.fingerprint, patience);
            match waited.await {
                Ok(None) => None,
                Ok(Some(Waited::Leads(seat))) => Some(seat),
                Ok(Some(Waited::Answer(finished))) => {
                    loan.settle();
                    return Ok(Asked::Answer(finished.memo));
                }
                Err(error) => {
                    loan.settle();
                    return Err(error);
                }
            }
        };
        match self.claim_inside(spec, &attempt, unit, patience).await {
            Ok(Found::Free(savepoint, timer)) => {
                let held = Held {
                    attempt,
                    seat,
                    joined_before,
                    savepoint,
                };
                unit.enter(&held);
                let claimed = Claimed {
                    loan,
                    held: Some(held),
                    _running: None,
                };
                Ok(Asked::Claimed(claimed, timer))
            }
            // Never cached: it may be this transaction's own, and not committed.
            Ok(Found::Done(finished)) => {
                loan.settle();
                replay(&attempt.fingerprint, finished).map(Asked::Answer)
            }
            Err(error @ (Error::InFlight | Error::KeyReused | Error::MemoUnreadable { .. })) => {
                loan.settle();
                Err(error)
            }
            // Whether the savepoint is gone is unknown: the loan comes back poisoned.
            Err(error) => Err(error),
        }
    }

    /// Asks the store inside the transaction until it gives the claim or an answer.
    async fn claim_inside(
        &self,
        spec: &Spec,
        attempt: &Attempt,
        unit: &mut Unit<Db>,
        patience: Instant,
    ) -> Result<Found> {
        let mut backoff = Backoff::default();
        loop {
            let mut timer = Timer::new(self.timeout(spec));
            let claim = self.store.join(&mut unit.session, attempt);
            let inputs = match timer.bound(claim).await?? {
                Claim::Free(savepoint) => return Ok(Found::Free(savepoint, timer)),
                Claim::Done(record) => {
                    return Ok(Found::Done(Finished {
                        fingerprint: record.fingerprint,
                        memo: record.memo,
                    }));
                }
                Claim::Running(inputs) => inputs,
            };
            if decide(State::Running, inputs) == Verdict::Refuse {
                return Err(Error::KeyReused);
            }
            let pause = backoff.next();
            if Instant::now() + pause > patience {
                return Err(Error::InFlight);
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Records the answer of a joined operation; the transaction around it decides about both.
    ///
    /// # Errors
    /// The joined operation is undone, but for [`Error::TransactionEnded`].
    pub(super) async fn commit_joined(
        &self,
        spec: &Spec,
        claimed: Claimed<Db>,
        memo: &Memo,
        timer: &mut Timer,
    ) -> Result<End> {
        let Claimed { mut loan, held, .. } = claimed;
        let unit = loan.unit_mut().ok_or_else(left_half_way)?;
        let held = held.expect("BUG: only what holds a key joins");
        if unit.poisoned {
            // Something that joined this one was dropped; the one around can go on without both.
            let (loan, _held) = self.undo_inside(loan, held).await?;
            loan.settle();
            return Err(left_half_way());
        }
        timer.restart(self.timeout(spec));
        let recorded = timer.bound(async {
            self.store
                .record(&mut unit.session, &held.attempt, memo, Some(spec.ttl))
                .await?;
            self.store.keep(&mut unit.session, held.savepoint).await
        });
        match recorded.await.and_then(|recorded| recorded) {
            Ok(()) => {
                unit.leave(&held);
                unit.seats.extend(held.seat);
                loan.settle();
                Ok(End::Own)
            }
            Err(Error::TransactionEnded) => {
                if !self.store.is_intact(&mut unit.session).await {
                    return Err(ended(loan, held));
                }
                // Only aborted, by a failed statement: the savepoint undoes all of it.
                let (loan, _held) = self.back(loan, held).await?;
                loan.settle();
                Err(Error::MemoUnwritable {
                    reason: "a failed statement, which the body ignored, undid its other writes",
                    source: None,
                })
            }
            Err(error) => {
                let (loan, _held) = self.back(loan, held).await?;
                loan.settle();
                Err(error)
            }
        }
    }

    /// Undoes a joined operation and nothing around it.
    ///
    /// # Errors
    /// [`Error::TransactionEnded`] when its body has ended the transaction.
    pub(super) async fn release_joined(&self, claimed: Claimed<Db>) -> Result<End> {
        let (loan, _held) = self.undo_joined(claimed).await?;
        loan.settle();
        Ok(End::Own)
    }

    /// Undoes a joined operation and records its answer all the same, inside the transaction.
    ///
    /// # Errors
    /// As for a join that records.
    pub(super) async fn undo_and_record_joined(
        &self,
        spec: &Spec,
        claimed: Claimed<Db>,
        memo: &Memo,
    ) -> Result<End> {
        let (mut loan, mut held) = self.undo_joined(claimed).await?;
        let unit = loan.unit_mut().ok_or_else(left_half_way)?;
        held.claiming();
        let patience = self.patience(spec);
        match self
            .claim_inside(spec, &held.attempt, unit, patience)
            .await?
        {
            Found::Free(savepoint, mut timer) => {
                held.savepoint = savepoint;
                unit.enter(&held);
                let claimed = Claimed {
                    loan,
                    held: Some(held),
                    _running: None,
                };
                self.commit_joined(spec, claimed, memo, &mut timer).await
            }
            Found::Done(finished) => {
                loan.settle();
                replay(&held.attempt.fingerprint, finished).map(End::Other)
            }
        }
    }

    async fn undo_joined(&self, claimed: Claimed<Db>) -> Result<(Loan<Db>, Held)> {
        let Claimed { loan, held, .. } = claimed;
        let held = held.expect("BUG: only what holds a key joins");
        self.undo_inside(loan, held).await
    }

    /// Back to the savepoint, after making sure that it still is there.
    async fn undo_inside(&self, mut loan: Loan<Db>, held: Held) -> Result<(Loan<Db>, Held)> {
        let unit = loan.unit_mut().ok_or_else(left_half_way)?;
        let intact = self.store.is_intact(&mut unit.session);
        match tokio::time::timeout(ROLLBACK_PATIENCE, intact).await {
            Ok(true) => self.back(loan, held).await,
            Ok(false) => Err(ended(loan, held)),
            // Its connection is busy with what the body left: the loan comes back poisoned.
            Err(_) => Err(Error::timed_out()),
        }
    }

    /// Undoes everything since the joined operation's savepoint, with what joined it.
    async fn back(&self, mut loan: Loan<Db>, held: Held) -> Result<(Loan<Db>, Held)> {
        let unit = loan.unit_mut().ok_or_else(left_half_way)?;
        let back = self.store.back(&mut unit.session, held.savepoint);
        match tokio::time::timeout(ROLLBACK_PATIENCE, back).await {
            Ok(Ok(())) => {}
            // Gone with its connection, which undoes it.
            Ok(Err(error @ Error::Unavailable { .. })) => return Err(error),
            // There is no such savepoint any more.
            Ok(Err(_)) => return Err(ended(loan, held)),
            Err(_) => return Err(Error::timed_out()),
        }
        unit.leave(&held);
        unit.seats.truncate(held.joined_before);
        unit.poisoned = false;
        Ok((loan, held))
    }
}

/// A joined body has ended the transaction around it: whoever began that finds out, and writes down
/// that nobody knows what became of either.
fn ended<Db: Database>(mut loan: Loan<Db>, held: Held) -> Error {
    if let Some(unit) = loan.unit_mut() {
        unit.ended.push(held);
    }
    // Given back poisoned.
    drop(loan);
    Error::TransactionEnded
}
