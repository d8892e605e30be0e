//! Asking the claiming function, and reading what it says.

use std::time::Duration;

use bytes::Bytes;
use sqlx::Postgres;

use super::faults::failed;
use super::statements::Statements;
use crate::engine::decide::Inputs;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::store::session::Session;
use crate::store::sql::{Phase, record};
use crate::store::{Attempt, Claim};

/// Of a key that was free: whether an expired record is in the new one's way, the transaction's
/// birth, and the server's process.
pub(super) type Free = (bool, f64, i32);

/// Claims in the session's open transaction.
pub(super) async fn claim(
    statements: &Statements,
    session: &mut Session<Postgres>,
    attempt: &Attempt,
) -> Result<Claim<Free>> {
    let (held, birth, backend): (Option<Vec<u8>>, f64, i32) =
        sqlx::query_as(statements.claim.clone())
            .bind(attempt.fingerprint.lock_id(&attempt.identity))
            .bind(attempt.identity.lock_id())
            .bind(attempt.identity.as_bytes())
            .fetch_one(&mut *session.connection)
            .await
            .map_err(|error| failed(Phase::Claim, error))?;
    session.unsure = false;
    let replaces = match held {
        None => false,
        Some(held) if held == [0] => true,
        Some(held) => return read(&held.into()),
    };
    Ok(Claim::Free((replaces, birth, backend)))
}

/// What the claiming function says of a key that is not free.
fn read(held: &Bytes) -> Result<Claim<Free>> {
    let done = match &held[..] {
        [1] => return Ok(Claim::Running(Inputs::Unknown)),
        [2] => return Ok(Claim::Running(Inputs::Other)),
        [3, done @ ..] => done,
        _ => &[],
    };
    let unreadable = Error::MemoUnreadable {
        reason: "its row is damaged",
    };
    let (remaining, done) = done.split_first_chunk().ok_or(unreadable)?;
    // Negative: it never expires.
    let remaining = u64::try_from(i64::from_be_bytes(*remaining)).ok();
    let (fingerprint, memo) = done.split_at(done.len().min(Fingerprint::LENGTH));
    let remaining = remaining.map(Duration::from_micros);
    record(fingerprint, held.slice_ref(memo), remaining).map(Claim::Done)
}
