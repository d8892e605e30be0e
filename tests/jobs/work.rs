//! Jobs and the workers that run them: included once per store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use apalis::prelude::{
    BoxDynError, Data, Event, EventListenerExt as _, WorkerBuilder, WorkerBuilderExt as _,
    WorkerError,
};
use idem_core::{Final, Idem};
use idem_test_support::patience::soon;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

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

/// Writes out what `#[idempotent(key = job.number)]` will: a job and what stands in its attribute.
macro_rules! job {
    ($name:ident, $error:ty, $wait:expr) => {
        async fn $name(
            job: Invoice,
            idem: Idem<Db>,
            bodies: Data<Bodies<i64, $error>>,
        ) -> Result<i64, BoxDynError> {
            use idem_core::__private::{self as private, Form, Memoize, Spec};
            static SPEC: Spec = Spec {
                scope: concat!(module_path!(), "::", stringify!($name)),
                form: Form::Apalis,
                key: "job.number",
                file: file!(),
                line: line!(),
                ttl: Duration::from_secs(86400),
                wait: $wait,
                timeout: None,
                memoize: Memoize::Final,
            };
            let mut fingerprint = private::FingerprintWriter::default();
            fingerprint.value(&job);
            let answers = {
                #[allow(unused_imports, reason = "one rung is enough for each error")]
                use private::answers::{FinalErrors as _, OtherErrors as _};
                (&&private::answers::Answers::<Result<i64, $error>>::new()).codec()
            };
            let (mut tx, door) = private::begin(&idem, &SPEC, fingerprint);
            let run = async move {
                private::claim(&mut tx, private::key(&SPEC, || job.number)).await;
                let answer = bodies.run(&mut tx, job.number).await;
                (tx, answer)
            };
            door.job(answers, run).await
        }
    };
}

job!(send_invoice, BoxDynError, None);
job!(send_hastily, BoxDynError, Some(Duration::from_millis(300)));
job!(charge, ChargeError, None);

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

impl Pace {
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
        self.hire_with(pace, self.idem.clone())
    }

    /// The same with another engine.
    pub fn hire_with(&self, pace: &Pace, idem: Idem<Db>) -> Hand {
        hire!(
            self,
            pace,
            INVOICES,
            send_invoice,
            self.invoices.clone(),
            idem
        )
    }

    /// The same without any.
    pub fn hire_without_engine(&self, pace: &Pace) -> Hand {
        hire!(self, pace, INVOICES, send_invoice, self.invoices.clone())
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
