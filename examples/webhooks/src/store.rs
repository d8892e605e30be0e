//! The database: the shop's tables and apalis' own, in the file that holds idem's records.

use std::path::Path;
use std::time::Duration;

use apalis_sqlite::SqliteStorage;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, Executor as _, SqlitePool};

pub(crate) async fn open(file: &Path) -> Result<SqlitePool, crate::Failure> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // Longer than the longest body: apalis' worker dies when it cannot write its heartbeat.
        .busy_timeout(Duration::from_secs(90));
    let pool = SqlitePool::connect_with(options).await?;
    // Not `SqliteStorage::setup`, which would switch `synchronous` off on one of our connections.
    SqliteStorage::<()>::migrations().run(&pool).await?;
    pool.execute(
        "CREATE TABLE payment (event TEXT NOT NULL, order_id INTEGER NOT NULL, amount INTEGER NOT NULL);
         CREATE TABLE mail (event TEXT NOT NULL, order_id INTEGER NOT NULL);",
    )
    .await?;
    Ok(pool)
}

/// How many rows a table of ours has.
pub(crate) async fn count(pool: &SqlitePool, table: &'static str) -> sqlx::Result<i64> {
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {table}")))
        .fetch_one(pool)
        .await
}
