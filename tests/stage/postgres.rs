//! The stage's store on PostgreSQL.

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
