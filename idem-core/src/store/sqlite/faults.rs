//! Which of SQLite's errors means what.

use crate::error::Error;
use crate::store::sql::{Fault, Phase, fault};

pub(super) fn failed(phase: Phase, error: sqlx::Error) -> Error {
    let fault = of(&error);
    phase.error(error, fault)
}

/// <https://www.sqlite.org/rescode.html>; the low byte of an extended code is its primary one.
fn of(error: &sqlx::Error) -> Fault {
    fault(error, |error| match primary_code(error) {
        // SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_IOERR, SQLITE_FULL,
        // SQLITE_CANTOPEN
        5 | 6 | 7 | 9 | 10 | 13 | 14 => Fault::Passing,
        1 if error.message().starts_with("no such savepoint") => Fault::Ended,
        _ => Fault::Lasting,
    })
}

pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error) if matches!(primary_code(error.as_ref()), 5 | 6))
}

fn primary_code(error: &dyn sqlx::error::DatabaseError) -> u32 {
    let code = error.code().and_then(|code| code.parse::<u32>().ok());
    code.unwrap_or_default() & 0xff
}
