//! The worker: sends each invoice once, however often its job is run.

use std::path::Path;
use std::time::Duration;

use apalis::layers::WorkerBuilderExt as _;
use apalis::prelude::{BackendExt as _, BoxDynError, Data, WorkerBuilder};
use apalis_sqlite::{Config, SqliteStorage};
use idem_core::apalis::idempotent;
use idem_core::{Idem, Tx};
use serde::{Deserialize, Serialize};
use sqlx::Sqlite;

use crate::store;

/// The queue that API and worker agree on.
pub(crate) const QUEUE: &str = "invoices";

/// What the doomed worker says when it may be killed.
pub(crate) const HALF_WAY: &str = "half sent";

/// One invoice to send.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SendInvoice {
    pub(crate) order: i64,
}

/// How a worker goes about its jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    Normal,
    /// It writes the mail and never gets further.
    StopsHalfWay,
}

/// Puts the invoice into the outbox: committed together with the record that it is done.
#[idempotent(key = job.order, ttl = "90d")]
async fn send_invoice(
    job: SendInvoice,
    pace: Data<Pace>,
    tx: &mut Tx<Sqlite>,
) -> Result<(), BoxDynError> {
    sqlx::query("INSERT INTO mail (order_id) VALUES ($1)")
        .bind(job.order)
        .execute(&mut **tx)
        .await?;
    if *pace == Pace::StopsHalfWay {
        println!("{HALF_WAY}");
        std::future::pending::<()>().await;
    }
    Ok(())
}

/// Works until it is killed.
pub(crate) async fn run(file: &Path, pace: Pace) -> Result<(), crate::Failure> {
    let pool = store::open(file).await?;
    let idem: Idem<Sqlite> = Idem::new(pool.clone())?;
    // A second without a sign of life, and another worker takes over; 60 seconds by default.
    let config = Config::default()
        .queue(QUEUE)
        .batch_size(1)
        .heartbeat_interval(Duration::from_secs(1))
        .missed_heartbeats(1);
    let storage = SqliteStorage::<SendInvoice>::new(&pool).with_config(config);
    // A name of its own for each process, so that another can tell that this one is gone.
    let worker = WorkerBuilder::new(format!("invoices-{}", std::process::id()))
        .backend(storage.poll_with_interval(Duration::from_millis(50)))
        .concurrency(2)
        .data(idem)
        .data(pace)
        .build(send_invoice);
    worker.run().await?;
    Ok(())
}
