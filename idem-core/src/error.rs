//! `Error`: everything the engine itself can answer, and for each whether the work may have run.

use std::borrow::Cow;
use std::time::Duration;

/// The cause behind an [`Error`], kept for `source()`.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What `Retry-After` says wherever the engine asks for another try: 1 second, the header's unit
/// (RFC 9110, section 10.2.3).
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// An answer of the engine, as opposed to one of the operation's body.
///
/// Each variant says whether the work *did not run*, *was undone*, or *may have run*, and whether
/// the same key may be sent again. Where it may, sending it again is always safe: it either runs
/// the operation once or replays what was recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request has no `Idempotency-Key` header. The work did not run; send one.
    #[error("this operation needs an `Idempotency-Key` header")]
    MissingKey,

    /// The key cannot be one: malformed header, or too long. The work did not run; the same key
    /// will be refused again.
    #[error("this idempotency key cannot be used: {reason}")]
    InvalidKey {
        /// What is wrong with it, without repeating it.
        reason: &'static str,
    },

    /// Another attempt of this operation is still running after `wait`. This attempt did not run;
    /// the same key may be sent again, after [`retry_after`](Error::retry_after).
    #[error("another attempt of this operation is still running")]
    InFlight,

    /// The key was used before for an operation with other inputs. This one did not run; it needs
    /// a key of its own.
    #[error("this idempotency key belongs to an operation with other inputs")]
    KeyReused,

    /// The database could not be reached, was too busy, or the operation took longer than its
    /// `timeout`. The work did not run or was undone; only when the reply to `COMMIT` was lost may
    /// it have run. The same key is safe to send again in each of these cases.
    #[error("the operation could not be completed now: {reason}")]
    Unavailable {
        /// What could not be done.
        reason: &'static str,
        /// The database's own error, where there is one.
        source: Option<BoxError>,
    },

    /// The server is shutting down and starts no new operations. The work did not run; the same
    /// key may be sent again.
    #[error("this server is shutting down and starts no new operations")]
    Draining,

    /// The lease passed to another attempt while this one ran. Nothing was recorded, effects
    /// outside the database may have happened; the same key may be sent again.
    #[error("the lease on this operation was lost")]
    LeaseLost,

    /// The answer is larger than `max_memo`, so it cannot be recorded. The work was undone; the
    /// same key may be sent again, and fails again unless the answer shrinks.
    #[error("the answer is larger than the limit `max_memo` of {limit_bytes} bytes")]
    MemoTooLarge {
        /// The limit it exceeds, in bytes.
        limit_bytes: usize,
    },

    /// The answer cannot be recorded, or the database refused to commit it. The work was undone;
    /// the same key may be sent again.
    #[error("the answer could not be recorded: {reason}")]
    MemoUnwritable {
        /// Why not.
        reason: &'static str,
        /// The cause, where there is one.
        source: Option<BoxError>,
    },

    /// The body ended or broke the transaction it was given (a raw `COMMIT` or `ROLLBACK`, or on
    /// PostgreSQL a failed statement whose error it ignored). Its writes may be committed in part,
    /// so the operation is not run again: later attempts get this same answer until an operator
    /// calls [`forget`](crate::Idem::forget).
    #[error("the operation ended its own transaction, so its outcome is unknown")]
    TransactionEnded,

    /// A recorded answer cannot be read (damaged, or written by another version). The work ran
    /// earlier and is not run again; an operator has to look at the record, or
    /// [`forget`](crate::Idem::forget) it.
    #[error("the recorded answer cannot be read: {reason}")]
    MemoUnreadable {
        /// What could not be read.
        reason: &'static str,
    },

    /// The engine is not set up: tables missing or too old, rights missing, or a configuration
    /// that cannot keep the promise. The work did not run; the same key may be sent once it is.
    #[error("idem is not ready: {reason}")]
    NotReady {
        /// What is missing, and how to provide it.
        reason: Cow<'static, str>,
        /// The database's own error, where there is one.
        source: Option<BoxError>,
    },

    /// The key expression gave two different values for one request (checked in debug builds).
    /// The work did not run.
    #[error("the key of `{scope}` differs each time it is evaluated, so no retry would match it")]
    KeyUnstable {
        /// The operation whose key it is.
        scope: &'static str,
    },

    /// The operation was started inside itself, or with the engine inside a running body of the
    /// same engine, where it would wait for the transaction around it. The work did not run; pass
    /// the running `tx` instead of the engine, and give an inner operation a key of its own.
    #[error(
        "an operation starts neither inside itself nor anew inside another one: pass the running \
         `tx` to join that"
    )]
    Nested,
}

/// A `Result` whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// How long a caller should wait before it sends the same key again, where the engine asks
    /// for another try; `None` where trying again changes nothing.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::InFlight | Error::Unavailable { .. } | Error::Draining | Error::LeaseLost => {
                Some(RETRY_AFTER)
            }
            _ => None,
        }
    }

    /// The variant's name in `kebab-case`: stable, for logs, metrics and problem types.
    pub fn name(&self) -> &'static str {
        match self {
            Error::MissingKey => "missing-key",
            Error::InvalidKey { .. } => "invalid-key",
            Error::InFlight => "in-flight",
            Error::KeyReused => "key-reused",
            Error::Unavailable { .. } => "unavailable",
            Error::Draining => "draining",
            Error::LeaseLost => "lease-lost",
            Error::MemoTooLarge { .. } => "memo-too-large",
            Error::MemoUnwritable { .. } => "memo-unwritable",
            Error::TransactionEnded => "transaction-ended",
            Error::MemoUnreadable { .. } => "memo-unreadable",
            Error::NotReady { .. } => "not-ready",
            Error::KeyUnstable { .. } => "key-unstable",
            Error::Nested => "nested",
        }
    }

    /// Whether the same call would meet this error each time. Anything else is worth another try
    /// with the same key, which is safe in every case.
    pub fn is_lasting(&self) -> bool {
        match self {
            Error::KeyReused
            | Error::InvalidKey { .. }
            | Error::KeyUnstable { .. }
            | Error::MemoUnreadable { .. }
            | Error::TransactionEnded => true,
            Error::MissingKey
            | Error::InFlight
            | Error::Unavailable { .. }
            | Error::Draining
            | Error::LeaseLost
            | Error::MemoTooLarge { .. }
            | Error::MemoUnwritable { .. }
            | Error::NotReady { .. }
            | Error::Nested => false,
        }
    }

    pub(crate) fn unavailable(reason: &'static str) -> Self {
        Error::Unavailable {
            reason,
            source: None,
        }
    }

    /// The error of an operation that was given up at its deadline.
    pub(crate) fn timed_out() -> Self {
        Error::unavailable("it took longer than its timeout and was undone")
    }

    pub(crate) fn unwritable(reason: &'static str, source: impl Into<BoxError>) -> Self {
        Error::MemoUnwritable {
            reason,
            source: Some(source.into()),
        }
    }

    pub(crate) fn not_ready(reason: impl Into<Cow<'static, str>>) -> Self {
        Error::NotReady {
            reason: reason.into(),
            source: None,
        }
    }
}
