//! A worker that sends invoices one after the other: once per database.

use std::error::Error;
use std::future::pending;
use std::task::Poll;
use std::time::Duration;

use apalis::prelude::{
    Attempt, BackendExt as _, BoxDynError, WorkerBuilder, WorkerBuilderExt as _,
};
use futures::stream::poll_fn;
use idem_core::apalis::idempotent;
use idem_core::{Idem, Tx};
use serde::{Deserialize, Serialize};

use super::{Config, Db, Storage, connect};

/// The queue of invoices.
pub(crate) const INVOICES: &str = "invoices";

/// What an invoice does at its first attempt, if its amount says so.
const HANGS: i64 = 0;
const ABORTS: i64 = -1;

/// An invoice to send.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Invoice {
    pub(crate) number: i64,
    pub(crate) amount: i64,
}

#[idempotent(key = job.number)]
async fn send(job: Invoice, attempt: Attempt, tx: &mut Tx<Db>) -> Result<i64, BoxDynError> {
    sqlx::query("INSERT INTO effect (run) VALUES ($1)")
        .bind(job.number)
        .execute(&mut **tx)
        .await?;
    println!("began {};", job.number);
    match job.amount {
        HANGS if attempt.current() == 1 => pending().await,
        ABORTS => std::process::abort(),
        _ => Ok(job.number),
    }
}

/// Works until it is killed. It takes the jobs of workers that were silent for a second, and fetches
/// several at once, so that it acknowledges none before it is through with all.
pub(crate) async fn work(url: &str) -> Result<(), Box<dyn Error>> {
    let pool = connect(url).await?;
    let config = Config::default()
        .queue(INVOICES)
        .batch_size(10)
        .heartbeat_interval(Duration::from_secs(1))
        .missed_heartbeats(1);
    // See `Pace::ticks` of the tests.
    let mut interval = tokio::time::interval(Duration::from_millis(20));
    let ticks = poll_fn(move |context| {
        while interval.poll_tick(context).is_ready() {}
        Poll::<Option<()>>::Pending
    });
    WorkerBuilder::new(format!("worker-{}", std::process::id()))
        .backend(
            Storage::<Invoice>::new(&pool)
                .with_config(config)
                .poll_with_stream(ticks),
        )
        .concurrency(1)
        .data(Idem::<Db>::new(pool)?)
        .build(send)
        .run()
        .await?;
    Ok(())
}
