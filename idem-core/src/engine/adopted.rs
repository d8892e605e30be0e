//! Transactions that the user began: made ready for joins, and ended.

use sqlx::Transaction;

use super::end::left_half_way;
use super::unit::{Loan, Unit};
use super::{Claimed, Engine};
use crate::error::{Error, Result};
use crate::spec::Spec;
use crate::store::session::Session;
use crate::store::{Database, Store};
use crate::tx::Tx;

impl<Db: Database> Engine<Db> {
    /// Takes a transaction in which operations will join.
    pub(crate) async fn adopt(&self, transaction: Transaction<'static, Db>) -> Result<Claimed<Db>> {
        let mut session = Session::adopt(transaction);
        if !session.is_outermost() {
            return Err(Error::not_ready(
                "only an outermost transaction can be joined, with no savepoint open in it",
            ));
        }
        self.store.adopt(&mut session).await?;
        Ok(Claimed {
            loan: Loan::own(session),
            held: None,
            _running: None,
        })
    }

    pub(crate) async fn commit_adopted(&self, spec: &Spec, tx: Tx<Db>) -> Result<()> {
        let Unit {
            mut session,
            seats,
            ended,
            poisoned,
            ..
        } = unit(tx)?;
        if !ended.is_empty() {
            return Err(self.outcome_unknown(spec, session, None, ended).await);
        }
        if poisoned {
            self.undo(&mut session).await;
            return Err(left_half_way());
        }
        // PostgreSQL answers COMMIT of a transaction that has failed with a rollback and no error.
        self.store.adopt(&mut session).await.map_err(undone)?;
        if !self.store.is_intact(&mut session).await || !session.is_at_base() {
            self.undo(&mut session).await;
            return Err(Error::TransactionEnded);
        }
        let transaction = session.into_adopted().ok_or_else(left_half_way)?;
        transaction
            .commit()
            .await
            .map_err(|error| Error::Unavailable {
                reason: "the commit was not confirmed",
                source: Some(error.into()),
            })?;
        // Whoever waits for what joined asks the store, which has it now.
        drop(seats);
        Ok(())
    }

    /// Rolls back, and writes down what a body that joined may have committed by itself.
    pub(crate) async fn roll_back_adopted(&self, spec: &Spec, tx: Tx<Db>) -> Result<()> {
        let Unit {
            mut session,
            seats: _seats,
            ended,
            ..
        } = unit(tx)?;
        if !ended.is_empty() {
            return Err(self.outcome_unknown(spec, session, None, ended).await);
        }
        self.undo(&mut session).await;
        Ok(())
    }
}

fn unit<Db: Database>(tx: Tx<Db>) -> Result<Unit<Db>> {
    let claimed = tx.take_claimed().ok_or_else(left_half_way)?;
    claimed.loan.into_unit().ok_or_else(left_half_way)
}

fn undone(error: Error) -> Error {
    Error::Unavailable {
        reason: "a statement in the transaction had failed, so everything was undone",
        source: Some(error.into()),
    }
}
