//! `enqueue`: a job added in the transaction of the operation that asks for it.

use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::EnqueueError;
use super::table::{JobTable, Row, RunAt};
use crate::tx::Tx;

/// Adds `job` to `queue` in the operation's own transaction: it is committed together with the
/// operation's writes and its answer, or not at all.
///
/// The job is stored as apalis' own storages store it with their default codec, JSON. `queue` is
/// the name in the worker's `Config`; a storage made without one uses [`queue_of`] its jobs.
/// [`Enqueue`] takes priority, delay and attempts.
///
/// Each call adds a job: two calls in one body are two jobs, and an operation that runs anew after
/// its `ttl` enqueues anew. A retry of the operation replays its answer, and enqueues nothing.
///
/// ```
/// # #[cfg(feature = "sqlite")]
/// # mod example {
/// use idem_core::Tx;
/// use idem_core::apalis::{EnqueueError, enqueue};
/// # #[derive(serde::Serialize, serde::Deserialize)]
/// # struct SendInvoice { order: i64 }
///
/// async fn bill(tx: &mut Tx<sqlx::Sqlite>, order: i64) -> Result<(), EnqueueError> {
///     enqueue(tx, "invoices", &SendInvoice { order }).await?;
///     Ok(())
/// }
/// # }
/// ```
///
/// # When a worker sees it
///
/// After the commit. On PostgreSQL a worker built `.with_pubsub()` is told at that moment; any other
/// looks every `heartbeat_interval` (30 seconds), or as often as `.poll_with_interval(..)` says. On
/// SQLite use `.poll_with_interval(..)`; `.with_callback(..)` hears only of writes through the pool
/// it made itself. Keep the heartbeat short all the same: a busy worker can miss a call, and then
/// looks at its next heartbeat.
///
/// # Errors
/// See [`EnqueueError`]; a job that is there already is none, but [`Enqueued::Already`].
pub fn enqueue<Db: JobTable, Args: Serialize + DeserializeOwned>(
    tx: &mut Tx<Db>,
    queue: &str,
    job: &Args,
) -> impl Future<Output = Result<Enqueued, EnqueueError>> + Send {
    Enqueue::new(queue, job).through(tx)
}

/// The queue of a storage whose `Config` names none: the name of the type of its jobs. It changes
/// when the type is renamed or moved, and jobs under the old name are then left behind.
#[must_use]
pub fn queue_of<Args>() -> &'static str {
    std::any::type_name::<Args>()
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enqueued {
    /// It is added, and appears with the commit.
    New {
        /// The id of its row, the `TaskId` of its runs.
        id: String,
    },
    /// The queue has a job with this idempotency key, so nothing was added; a `tracing` event tells
    /// operators, too. Only a key of your own can meet one, see
    /// [`idempotency_key`](Enqueue::idempotency_key).
    Already {
        /// The id of the job that is there.
        id: String,
        /// That one's status as apalis spells it: `Pending`, `Done`, `Killed`, ...
        status: String,
    },
}

impl Enqueued {
    /// Whether the job was added.
    #[must_use]
    pub fn is_new(&self) -> bool {
        matches!(self, Enqueued::New { .. })
    }

    /// The id of the job that is in the table now, new or not.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Enqueued::New { id } | Enqueued::Already { id, .. } => id,
        }
    }
}

/// A job to add, with options.
///
/// ```
/// # #[cfg(feature = "sqlite")]
/// # mod example {
/// # use std::time::Duration;
/// use idem_core::Tx;
/// use idem_core::apalis::{Enqueue, EnqueueError};
/// # #[derive(serde::Serialize, serde::Deserialize)]
/// # struct Remind { order: i64 }
///
/// async fn remind(tx: &mut Tx<sqlx::Sqlite>, order: i64) -> Result<(), EnqueueError> {
///     Enqueue::new("reminders", &Remind { order })
///         .run_after(Duration::from_secs(24 * 60 * 60))
///         .max_attempts(5)
///         .through(tx)
///         .await?;
///     Ok(())
/// }
/// # }
/// ```
#[must_use = "nothing is enqueued until `through(tx)`"]
#[derive(Debug)]
pub struct Enqueue<'a> {
    queue: &'a str,
    job: Result<Vec<u8>, serde_json::Error>,
    priority: u32,
    max_attempts: u32,
    run_at: RunAt,
    key: Option<String>,
}

impl<'a> Enqueue<'a> {
    /// A job for `queue` with apalis' defaults: priority 0, 25 attempts, to run at once.
    pub fn new<Args: Serialize + DeserializeOwned>(queue: &'a str, job: &Args) -> Self {
        // Read again here, as a row that cannot be read kills the worker that fetches it.
        let job = serde_json::to_vec(job)
            .and_then(|json| serde_json::from_slice::<Args>(&json).map(|_| json));
        Enqueue {
            queue,
            job,
            priority: 0,
            max_attempts: 25,
            run_at: RunAt::Now,
            key: None,
        }
    }

    /// Jobs of a higher priority are fetched first.
    pub fn priority(mut self, priority: u32) -> Self {
        self.priority = priority;
        self
    }

    /// How often the job is run before its failure is its last.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Runs the job no earlier than this long from now, by the database's clock. SQLite counts in
    /// whole seconds, so there it can be up to a second less. A worker sees the job when it next
    /// looks after that: nothing wakes it.
    pub fn run_after(mut self, delay: Duration) -> Self {
        self.run_at = RunAt::After(delay);
        self
    }

    /// Runs the job no earlier than this, as for [`run_after`](Self::run_after).
    pub fn run_at(mut self, time: SystemTime) -> Self {
        self.run_at = RunAt::Time(time);
        self
    }

    /// Gives the job a key of your own instead of the one that is derived from the run.
    ///
    /// The queue then holds one job of this key, whichever operation enqueues it: another is not
    /// added and answered with [`Enqueued::Already`], for as long as the row of the first is in the
    /// table, whatever its status. Look at that status where a job must not be missed: one that is
    /// `Killed` will not run again by itself.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Adds the job in the transaction of `tx`.
    ///
    /// # Errors
    /// As for [`enqueue`].
    pub async fn through<Db: JobTable>(self, tx: &mut Tx<Db>) -> Result<Enqueued, EnqueueError> {
        let job = self.job.map_err(EnqueueError::Job)?;
        // Counted in any case, so that a key of your own renames no other job.
        let derived = tx.name_job(self.queue);
        let row = Row {
            id: ulid::Ulid::generate().to_string(),
            queue: self.queue,
            job,
            priority: integer(self.priority),
            max_attempts: integer(self.max_attempts),
            run_at: self.run_at,
            key: self.key.unwrap_or(derived),
        };
        add(tx, row).await.map_err(|error| match &error {
            sqlx::Error::Database(refused) if Db::is_not_ready(refused.as_ref()) => {
                EnqueueError::NotReady(error)
            }
            _ => EnqueueError::Database(error),
        })
    }
}

async fn add<Db: JobTable>(tx: &mut Tx<Db>, row: Row<'_>) -> sqlx::Result<Enqueued> {
    if Db::insert(&mut *tx, &row).await? {
        return Ok(Enqueued::New { id: row.id });
    }
    if let Some((id, status)) = Db::find(&mut *tx, row.queue, &row.key).await? {
        tracing::info!(
            queue = row.queue,
            id,
            status,
            "not enqueued: the queue has a job with this idempotency key"
        );
        return Ok(Enqueued::Already { id, status });
    }
    // Deleted in between.
    if Db::insert(&mut *tx, &row).await? {
        return Ok(Enqueued::New { id: row.id });
    }
    Err(sqlx::Error::RowNotFound)
}

/// The columns are of 32 bits with a sign.
fn integer(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
