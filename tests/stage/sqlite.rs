//! The stage's store on SQLite.

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
