//! apalis' tables and storage on PostgreSQL.

use apalis::prelude::{BackendExt as _, IntervalStrategy, PollWith};
use apalis_postgres::{Config, PostgresStorage};
use sqlx::PgPool;

use super::store::Files;
use super::work::Pace;

/// Whether apalis can write while a body runs.
pub const WRITES_BESIDE_A_BODY: bool = true;

pub const JOBS: &str = "apalis.jobs";

pub async fn pool(files: &Files, connections: u32) -> PgPool {
    files.pool(connections).await
}

pub async fn create_tables(pool: &PgPool) {
    PostgresStorage::<()>::setup(pool).await.unwrap();
}

pub type Backend<Args> = PollWith<PostgresStorage<Args>, IntervalStrategy>;

pub fn backend<Args: Send + 'static>(pool: &PgPool, queue: &str, pace: &Pace) -> Backend<Args> {
    let config = Config::default()
        .queue(queue)
        .batch_size(pace.batch)
        .heartbeat_interval(pace.heartbeat)
        .missed_heartbeats(1);
    PostgresStorage::new(pool)
        .with_config(config)
        .poll_with_interval(pace.polls)
}
