//! apalis' tables and storage on PostgreSQL.

use apalis::prelude::{BackendExt as _, PollWith, StreamStrategy};
use apalis_postgres::{Config, PostgresStorage};
use sqlx::PgPool;

use super::store::Files;
use super::work::{Pace, Ticks};

/// Whether apalis can write while a body runs.
pub const WRITES_BESIDE_A_BODY: bool = true;

pub const JOBS: &str = "apalis.jobs";

pub const JOB_AS_TEXT: &str = "convert_from(job, 'UTF8')";

pub const MINUTES_TO_RUN: &str =
    "CAST(floor((extract(epoch FROM run_at - now()) + 30) / 60) AS BIGINT)";

/// Whatever waits for its time has it.
pub const RUN_NOW: &str = "run_at = now()";

/// A pool that gives up on a dead server before the tests do.
pub async fn pool(files: &Files, connections: u32) -> PgPool {
    sqlx::postgres::PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(idem_test_support::patience::PATIENCE / 6)
        .connect_with(files.0.options())
        .await
        .unwrap()
}

pub async fn create_tables(pool: &PgPool) {
    PostgresStorage::<()>::setup(pool).await.unwrap();
}

pub type Backend<Args> = PollWith<PostgresStorage<Args>, StreamStrategy<Ticks>>;

pub fn backend<Args: Send + 'static>(pool: &PgPool, queue: &str, pace: &Pace) -> Backend<Args> {
    let config = Config::default()
        .queue(queue)
        .batch_size(pace.batch)
        .heartbeat_interval(pace.heartbeat)
        .missed_heartbeats(1);
    PostgresStorage::new(pool)
        .with_config(config)
        .poll_with_stream(pace.ticks())
}

/// apalis' own way to add jobs.
pub fn storage<Args>(pool: &PgPool, queue: &str) -> PostgresStorage<Args> {
    PostgresStorage::new(pool).with_config(Config::default().queue(queue))
}

/// The same without a name for the queue.
pub fn nameless<Args>(pool: &PgPool) -> PostgresStorage<Args> {
    PostgresStorage::new(pool)
}
