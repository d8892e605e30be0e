//! apalis' tables and storage on SQLite.

use apalis::prelude::{BackendExt as _, IntervalStrategy, PollWith};
use apalis_sqlite::{Config, SqliteStorage};
use sqlx::SqlitePool;

use super::store::Files;
use super::work::Pace;

/// Whether apalis can write while a body runs.
pub const WRITES_BESIDE_A_BODY: bool = false;

pub const JOBS: &str = "Jobs";

/// A pool whose connections wait for the writer as long as a body of the tests may hold it.
pub async fn pool(files: &Files, connections: u32) -> SqlitePool {
    let options = files
        .0
        .options()
        .busy_timeout(idem_test_support::patience::PATIENCE);
    sqlx::sqlite::SqlitePoolOptions::new()
        .max_connections(connections)
        .connect_with(options)
        .await
        .unwrap()
}

pub async fn create_tables(pool: &SqlitePool) {
    // Not `setup()`, which leaves a connection with `synchronous = OFF` in the pool.
    SqliteStorage::<()>::migrations().run(pool).await.unwrap();
}

pub type Backend<Args> = PollWith<SqliteStorage<Args>, IntervalStrategy>;

pub fn backend<Args: Send + 'static>(pool: &SqlitePool, queue: &str, pace: &Pace) -> Backend<Args> {
    let config = Config::default()
        .queue(queue)
        .batch_size(pace.batch)
        .heartbeat_interval(pace.heartbeat)
        .missed_heartbeats(1);
    SqliteStorage::new(pool)
        .with_config(config)
        .poll_with_interval(pace.polls)
}
