//! Receipts by mail: jobs of an apalis queue, each done once however often it is run.

use std::time::Duration;

use apalis::layers::WorkerBuilderExt as _;
use apalis::prelude::{BackendExt as _, BoxDynError, WorkerBuilder};
use apalis_sqlite::{Config, SqliteStorage};
use idem_core::apalis::idempotent;
use idem_core::{Idem, Tx};
use serde::{Deserialize, Serialize};
use sqlx::{Sqlite, SqlitePool};

/// The queue that receivers and worker agree on.
pub(crate) const QUEUE: &str = "mails";

const LEFT: &str = "SELECT count(*) FROM Jobs WHERE status NOT IN ('Done', 'Killed')";

/// One mail to send.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SendMail {
    pub(crate) event: String,
    pub(crate) order: u32,
}

/// Writes the mail to the outbox.
#[idempotent(key = &job.event)]
async fn send_mail(job: SendMail, tx: &mut Tx<Sqlite>) -> Result<(), BoxDynError> {
    sqlx::query("INSERT INTO mail (event, order_id) VALUES ($1, $2)")
        .bind(&job.event)
        .bind(job.order)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Runs a worker until no mail is left to send.
pub(crate) async fn send_all(pool: &SqlitePool, idem: &Idem<Sqlite>) -> Result<(), crate::Failure> {
    // apalis looks for jobs at each heartbeat, too, which a slow look needs: 30 seconds by default.
    let config = Config::default()
        .queue(QUEUE)
        .batch_size(1)
        .heartbeat_interval(Duration::from_secs(1));
    let storage = SqliteStorage::<SendMail>::new(pool).with_config(config);
    let worker = WorkerBuilder::new(format!("mails-{}", std::process::id()))
        .backend(storage.poll_with_interval(Duration::from_millis(50)))
        .concurrency(2)
        .data(idem.clone())
        .build(send_mail);
    let pool = pool.clone();
    let all_done = async move {
        loop {
            let left: i64 = sqlx::query_scalar(LEFT)
                .fetch_one(&pool)
                .await
                .map_err(std::io::Error::other)?;
            if left == 0 {
                return Ok::<(), std::io::Error>(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    worker.run_until(all_done).await?;
    Ok(())
}
