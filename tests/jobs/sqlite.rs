//! apalis' tables and storage on SQLite.

use apalis::prelude::{BackendExt as _, PollWith, StreamStrategy};
use apalis_sqlite::{Config, SqliteStorage};
use sqlx::SqlitePool;

use super::store::Files;
use super::work::{Pace, Ticks};

/// Whether apalis can write while a body runs.
pub const WRITES_BESIDE_A_BODY: bool = false;

pub const JOBS: &str = "Jobs";

pub const JOB_AS_TEXT: &str = "CAST(job AS TEXT)";

pub const MINUTES_TO_RUN: &str = "(run_at - unixepoch() + 30) / 60";

/// Whatever waits for its time has it.
pub const RUN_NOW: &str = "run_at = unixepoch()";

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

pub type Backend<Args> = PollWith<SqliteStorage<Args>, StreamStrategy<Ticks>>;

pub fn backend<Args: Send + 'static>(pool: &SqlitePool, queue: &str, pace: &Pace) -> Backend<Args> {
    let config = Config::default()
        .queue(queue)
        .batch_size(pace.batch)
        .heartbeat_interval(pace.heartbeat)
        .missed_heartbeats(1);
    SqliteStorage::new(pool)
        .with_config(config)
        .poll_with_stream(pace.ticks())
}

/// apalis' own way to add jobs.
pub fn storage<Args>(pool: &SqlitePool, queue: &str) -> SqliteStorage<Args> {
    SqliteStorage::new(pool).with_config(Config::default().queue(queue))
}

/// The same without a name for the queue.
pub fn nameless<Args>(pool: &SqlitePool) -> SqliteStorage<Args> {
    SqliteStorage::new(pool)
}
