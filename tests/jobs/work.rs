//! Jobs and the workers that run them: included once per store.

#![allow(dead_code, reason = "workers on SQLite are not seen dying")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use apalis::prelude::{
    AbortError, BoxDynError, Data, Event, EventListenerExt as _, TaskId, WorkerBuilder,
    WorkerBuilderExt as _, WorkerError,
};
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use idem_core::apalis::idempotent;
use idem_core::{Final, Tx};
use idem_test_support::patience::soon;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use super::queue;
use super::shop::{Bodies, Shop};
use super::store::Db;

/// The queue of invoices.
pub const INVOICES: &str = "invoices";

/// The queue of invoices whose jobs do not wait long for a running copy.
pub const HASTY: &str = "hasty-invoices";

/// The queue of charges.
pub const CHARGES: &str = "charges";

/// An invoice to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invoice {
    pub number: i64,
    pub amount: i64,
}

impl Invoice {
    pub fn number(number: i64) -> Self {
        Invoice { number, amount: 1 }
    }
}

/// An error that knows which of its variants end an operation.
#[derive(Debug, Serialize, Deserialize, Final)]
pub enum ChargeError {
    #[final_error]
    Refused { code: u16 },
    #[retryable]
    Down,
}

impl std::fmt::Display for ChargeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for ChargeError {}

impl From<sqlx::Error> for ChargeError {
    fn from(_: sqlx::Error) -> Self {
        ChargeError::Down
    }
}

#[idempotent(key = job.number)]
async fn send_invoice(
    job: Invoice,
    bodies: Data<Bodies<i64, BoxDynError>>,
    tx: &mut Tx<Db>,
) -> Result<i64, BoxDynError> {
    bodies.run(tx, job.number).await
}

#[idempotent(key = job.number, wait = "1s")]
async fn send_hastily(
    job: Invoice,
    bodies: Data<Bodies<i64, BoxDynError>>,
    tx: &mut Tx<Db>,
) -> Result<i64, BoxDynError> {
    bodies.run(tx, job.number).await
}

#[idempotent(key = job.number)]
async fn charge(
    job: Invoice,
    tx: &mut Tx<Db>,
    bodies: Data<Bodies<i64, ChargeError>>,
) -> Result<i64, ChargeError> {
    bodies.run(tx, job.number).await
}

/// Fails with what it was given.
async fn witness(
    job: Invoice,
    id: TaskId,
    _: Data<Bodies<i64, BoxDynError>>,
) -> Result<i64, BoxDynError> {
    Err(AbortError::new(format!("{id} {job:?}")).into())
}

/// How a worker works.
pub struct Pace {
    pub batch: usize,
    pub concurrency: usize,
    /// Also how long another worker must have been silent for its jobs to be taken.
    pub heartbeat: Duration,
    pub polls: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            batch: 10,
            concurrency: 10,
            heartbeat: Duration::from_secs(3600),
            polls: Duration::from_millis(20),
        }
    }
}

/// Wakes a worker from time to time and gives it nothing.
pub type Ticks = BoxStream<'static, ()>;

impl Pace {
    /// In place of apalis' `poll_with_interval`, which in 1.0 does not look at its new timer after
    /// the old one ran out: a fetch that ends just then leaves the worker asleep to its heartbeat.
    pub fn ticks(&self) -> Ticks {
        let mut interval = tokio::time::interval(self.polls);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        stream::poll_fn(move |context| {
            while interval.poll_tick(context).is_ready() {}
            Poll::Pending
        })
        .boxed()
    }

    /// Takes the jobs of workers that have been silent for a second.
    pub fn sweeping() -> Self {
        Pace {
            heartbeat: Duration::from_secs(1),
            ..Pace::default()
        }
    }

    /// One job after the other.
    pub fn one_by_one() -> Self {
        Pace {
            batch: 1,
            concurrency: 1,
            ..Pace::default()
        }
    }
}

/// A running worker; dropped, it and its jobs are gone at once.
pub struct Hand {
    stop: Option<oneshot::Sender<()>>,
    work: JoinHandle<Result<(), WorkerError>>,
    errors: mpsc::UnboundedReceiver<String>,
}

impl Hand {
    /// Lets it finish what runs, acknowledgements included.
    pub async fn stop(mut self) {
        let _ = self.stop.take().unwrap().send(());
        let work = soon("the worker to stop", &mut self.work).await;
        work.unwrap().unwrap();
    }

    /// Waits for its death.
    pub async fn died(mut self) -> WorkerError {
        let work = soon("the worker to die", &mut self.work).await;
        work.unwrap().unwrap_err()
    }

    /// The error of the next job that fails.
    pub async fn error(&mut self) -> String {
        let error = soon("a job to fail", self.errors.recv()).await;
        error.expect("the worker lives")
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.work.abort();
    }
}

macro_rules! hire {
    ($shop:expr, $pace:expr, $queue:expr, $job:ident, $bodies:expr $(, $engine:expr)?) => {{
        static NAMES: AtomicUsize = AtomicUsize::new(0);
        let name = NAMES.fetch_add(1, Ordering::Relaxed);
        let (stop, stopped) = oneshot::channel::<()>();
        let (failed, errors) = mpsc::unbounded_channel();
        let worker = WorkerBuilder::new(format!("{}-{name}", stringify!($job)))
            .backend(queue::backend::<Invoice>(&$shop.pool, $queue, $pace))
            .concurrency($pace.concurrency)
            $(.data($engine))?
            .data($bodies)
            .on_event(move |_, event| {
                if let Event::Error(error) = event {
                    let _ = failed.send(error.to_string());
                }
            })
            .build($job);
        let stopped = async {
            let _ = stopped.await;
            Ok::<(), WorkerError>(())
        };
        let work = tokio::spawn(worker.run_until(stopped));
        Hand {
            stop: Some(stop),
            work,
            errors,
        }
    }};
}

impl Shop {
    /// Starts a worker that sends invoices.
    pub fn hire(&self, pace: &Pace) -> Hand {
        let (bodies, idem) = (self.invoices.clone(), self.idem.clone());
        hire!(self, pace, INVOICES, send_invoice, bodies, idem)
    }

    /// The same without an engine.
    pub fn hire_without_engine(&self, pace: &Pace) -> Hand {
        hire!(self, pace, INVOICES, send_invoice, self.invoices.clone())
    }

    /// Starts a worker that only says what it was given.
    pub fn hire_witness(&self, pace: &Pace) -> Hand {
        hire!(self, pace, INVOICES, witness, self.invoices.clone())
    }

    pub fn hire_hasty(&self, pace: &Pace) -> Hand {
        let (bodies, idem) = (self.invoices.clone(), self.idem.clone());
        hire!(self, pace, HASTY, send_hastily, bodies, idem)
    }

    pub fn hire_cashier(&self, pace: &Pace) -> Hand {
        let (bodies, idem) = (self.charges.clone(), self.idem.clone());
        hire!(self, pace, CHARGES, charge, bodies, idem)
    }
}
