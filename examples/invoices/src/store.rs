//! The database: the shop's tables and apalis' own, in the file that holds idem's records.

use std::path::Path;
use std::time::Duration;

use apalis_sqlite::SqliteStorage;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{Executor as _, SqlitePool};

pub(crate) async fn open(file: &Path) -> sqlx::Result<SqlitePool> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // Longer than the longest body: apalis' worker dies when it cannot write its heartbeat.
        .busy_timeout(Duration::from_secs(90));
    SqlitePool::connect_with(options).await
}

/// Creates all tables but idem's.
pub(crate) async fn set_up(pool: &SqlitePool) -> Result<(), crate::Failure> {
    // Not `SqliteStorage::setup`, which would switch `synchronous` off on one of our connections.
    SqliteStorage::<()>::migrations().run(pool).await?;
    pool.execute(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, amount INTEGER NOT NULL);
         CREATE TABLE mail (order_id INTEGER NOT NULL);",
    )
    .await?;
    Ok(())
}

/// One invoice at the end.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct Sent {
    pub(crate) customer: String,
    /// How often its job was run, as apalis counts.
    pub(crate) deliveries: i64,
    pub(crate) mails: i64,
}

pub(crate) async fn report(pool: &SqlitePool) -> sqlx::Result<Vec<Sent>> {
    sqlx::query_as(
        "SELECT customer, Jobs.attempts AS deliveries,
                (SELECT count(*) FROM mail WHERE mail.order_id = orders.id) AS mails
           FROM orders JOIN Jobs ON json_extract(CAST(Jobs.job AS TEXT), '$.order') = orders.id
          ORDER BY orders.id",
    )
    .fetch_all(pool)
    .await
}
