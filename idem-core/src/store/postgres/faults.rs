//! Which of PostgreSQL's errors means what.

use crate::error::Error;
use crate::store::sql::{Fault, Phase, fault};

pub(super) fn failed(phase: Phase, error: sqlx::Error) -> Error {
    let fault = of(&error);
    phase.error(error, fault)
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
pub(super) fn of(error: &sqlx::Error) -> Fault {
    fault(error, |error| {
        match error.code().as_deref().unwrap_or_default() {
            // in_failed_sql_transaction, no_active_sql_transaction
            "25P02" | "25P01" => Fault::Ended,
            // invalid_text_representation: `ENDED`
            "22P02" => Fault::Ended,
            // serialization_failure, deadlock_detected, read_only_sql_transaction (a demoted primary),
            // lock_not_available, query_canceled, idle_in_transaction_session_timeout
            "40001" | "40P01" | "25006" | "55P03" | "57014" | "25P03" => Fault::Passing,
            // invalid_sql_statement_name: a body deallocated what sqlx had prepared.
            "26000" => Fault::Passing,
            code if code.starts_with("57P0") => Fault::Passing, // shutdown and restart
            code if code.starts_with("53") => Fault::Passing,   // insufficient resources
            code if code.starts_with("08") => Fault::Passing,   // connection exceptions
            _ => Fault::Lasting,
        }
    })
}

/// Whether the connection should not be used again: it is gone, or leads to a server that can no
/// longer write or is going away.
pub(super) fn is_connection_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => error
            .code()
            .is_some_and(|code| code == "25006" || code == "26000" || code.starts_with("57P0")),
        _ => true,
    }
}
