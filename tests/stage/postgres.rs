//! The stage's store on PostgreSQL.

#![allow(dead_code, reason = "no test binary uses everything on the stage")]

use idem_test_support::postgres::{TestDatabase, server};

pub use sqlx::Postgres as Db;

/// One fresh database.
pub struct Files(pub TestDatabase);

impl Files {
    pub async fn new() -> Self {
        Files(server().await.database().await)
    }

    pub async fn pool(&self, connections: u32) -> sqlx::PgPool {
        self.0.pool(connections).await
    }
}

/// Moves the expiry of every record into the past.
pub const EXPIRE: &str = "UPDATE idem_record SET expires_at = now() - interval '1 second'";

pub const EXPIRE_IN_300_MS: &str =
    "UPDATE idem_record SET expires_at = clock_timestamp() + interval '300 ms'";

/// How many records are live by the database's clock.
pub const LIVE: &str = "SELECT count(*) FROM idem_record WHERE expires_at > clock_timestamp()";
