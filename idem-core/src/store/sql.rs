//! What the SQL stores share: reading a record, and which database error means what.

use std::time::Duration;

use bytes::Bytes;

use super::Record;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::memo::Memo;

/// What the engine was doing when the database refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Setup,
    Claim,
    Record,
    Commit,
    Forget,
}

/// What a database error means for the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The same request can succeed later.
    Passing,
    /// The transaction is aborted or gone.
    Ended,
    /// The same request will fail again.
    Lasting,
}

impl Phase {
    /// Turns the database's error into the engine's.
    pub(super) fn error(self, error: sqlx::Error, fault: Fault) -> Error {
        let (doing, lasting) = match self {
            Phase::Setup => ("setting up failed", "the tables cannot be set up or read"),
            Phase::Claim => (
                "the key could not be claimed",
                "the key cannot be claimed; `setup()` creates what is missing",
            ),
            Phase::Record => (
                "the answer could not be recorded",
                "the database refused the memo",
            ),
            Phase::Commit => (
                "the commit was not confirmed",
                "the database refused to commit the operation",
            ),
            Phase::Forget => (
                "the record could not be deleted",
                "the record cannot be deleted",
            ),
        };
        match (fault, self) {
            (Fault::Ended, Phase::Record) => Error::TransactionEnded,
            (Fault::Passing, _) => Error::Unavailable {
                reason: doing,
                source: Some(error.into()),
            },
            (_, Phase::Record | Phase::Commit) => Error::unwritable(lasting, error),
            (_, _) => Error::NotReady {
                reason: lasting.into(),
                source: Some(error.into()),
            },
        }
    }
}

/// Everything that is no answer of the database itself (network, pool, driver) passes.
pub(super) fn fault(
    error: &sqlx::Error,
    of_database: impl FnOnce(&dyn sqlx::error::DatabaseError) -> Fault,
) -> Fault {
    match error {
        sqlx::Error::Database(error) => of_database(error.as_ref()),
        sqlx::Error::Configuration(_)
        | sqlx::Error::ColumnNotFound(_)
        | sqlx::Error::ColumnDecode { .. }
        | sqlx::Error::Decode(_)
        | sqlx::Error::Encode(_)
        | sqlx::Error::TypeNotFound { .. } => Fault::Lasting,
        _ => Fault::Passing,
    }
}

/// Puts a stored row together; `remaining` is in the past for none.
pub(super) fn record(
    fingerprint: &[u8],
    memo: Bytes,
    remaining: Option<Duration>,
) -> Result<Record> {
    Ok(Record {
        fingerprint: Fingerprint::from_stored(fingerprint)?,
        memo: Memo::from_stored(memo)?,
        remaining,
    })
}

/// A duration for the database, in its own integer unit, at most 1,000 years: beyond what any
/// operation needs and within what each database can add to today.
pub(super) fn bounded(duration: Duration) -> Duration {
    duration.min(Duration::from_secs(1_000 * 365 * 24 * 60 * 60))
}
