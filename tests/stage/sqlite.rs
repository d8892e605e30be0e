//! The stage's store on SQLite.

#![allow(dead_code, reason = "no test binary uses everything on the stage")]

use idem_test_support::sqlite::Database;

pub use sqlx::Sqlite as Db;

/// One fresh file.
pub struct Files(pub Database);

impl Files {
    pub async fn new() -> Self {
        Files(Database::new())
    }

    pub async fn pool(&self, connections: u32) -> sqlx::SqlitePool {
        self.0.pool(connections).await
    }
}

/// Moves the expiry of every record into the past.
pub const EXPIRE: &str = "UPDATE idem_record SET expires_at_ms = 1";

pub const EXPIRE_IN_300_MS: &str =
    "UPDATE idem_record SET expires_at_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER) + 300";

/// How many records are live by the database's clock.
pub const LIVE: &str =
    "SELECT count(*) FROM idem_record WHERE expires_at_ms > unixepoch('subsec') * 1000";
