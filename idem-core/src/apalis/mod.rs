//! The apalis half: annotated jobs, and [`enqueue`], which adds a job in an operation's own
//! transaction.
//!
//! For apalis 1.0 with `apalis-postgres` or `apalis-sqlite`. The job table and idem's records must
//! be in one database: that is what makes request, record and job one commit. For another queue,
//! write a row of your own through `tx` and hand it over from there.
//!
//! # What a worker needs
//!
//! With `apalis = "1.0"` (feature `limit`) and `apalis-sqlite = "1.0"` (features `json`, `migrate`); the
//! examples `invoices` and `webhooks` are whole programs.
//!
//! ```text
//! use apalis::layers::WorkerBuilderExt as _;
//! use apalis::prelude::{BackendExt as _, WorkerBuilder};
//! use apalis_sqlite::{Config, SqliteStorage};                        // or apalis_postgres::{Config, PostgresStorage}
//!
//! SqliteStorage::<()>::migrations().run(&pool).await?;               // apalis' tables
//! let config = Config::default()
//!     .queue("invoices")                                             // the name that `enqueue` was given
//!     .batch_size(1)
//!     .heartbeat_interval(Duration::from_secs(1));
//! let storage = SqliteStorage::<SendInvoice>::new(&pool).with_config(config);
//! WorkerBuilder::new(format!("invoices-{}", std::process::id()))     // a fresh name for each process
//!     .backend(storage.poll_with_interval(Duration::from_millis(200))) // else it looks at heartbeats only
//!     .concurrency(4)                                                // well below the pool's size
//!     .data(idem.clone())                                            // where the job finds the engine
//!     .build(send_invoice)
//!     .run().await?;
//! ```
//!
//! - Without `.data(idem)` a job ends as `Killed` at its first attempt, and its `last_result` says so.
//! - apalis runs every job it has fetched at once, and each running operation holds a connection. A
//!   worker that gets none for its heartbeat dies, and its jobs with it: bound it with
//!   `.concurrency(n)`, or give apalis a pool of its own. With `.concurrency(n)` set
//!   `Config::batch_size(1)`, since apalis sends no heartbeats while fetched jobs wait.
//! - apalis 1.0's `.poll_with_interval(d)` falls asleep when a fetch lasts longer than `d`, until the
//!   next heartbeat: set `heartbeat_interval` to the delay you can bear (its default is 30 seconds).
//! - On SQLite a body holds the only writer. Give the worker's pool a `busy_timeout` above your
//!   longest body: one that cannot write its heartbeat or acknowledgement dies.
//! - Do not use apalis' `.timeout(..)` or `.catch_panic()` around annotated jobs: they leave the row
//!   `Running`. The attribute's `timeout` and idem's own handling of panics end a job in order.
//! - Stop the worker first, then [`drain`](crate::Idem::drain) the engine.
//! - A NUL character in a job's value or error cannot be stored by PostgreSQL's `jsonb`; apalis'
//!   worker dies of it.
//!
//! # What comes back, and when
//!
//! | the job's answer | the row | then |
//! |---|---|---|
//! | `Ok`, run now or replayed | `Done` | |
//! | a final error, now or replayed; [`KeyReused`], [`InvalidKey`], [`KeyUnstable`], [`MemoUnreadable`], [`TransactionEnded`] | `Killed` | never again |
//! | the body's own error, or a panic | `Failed` | runs again, at once |
//! | any other error of the engine | `Failed` | runs again, after a pause of 1 second inside the job |
//!
//! Neither backend has a delay of its own: both fetch a failed job again as soon as a worker looks,
//! and ignore the duration of apalis' `RetryAfterError` (PostgreSQL runs such a job again without a
//! pause and without an end, SQLite never). So idem answers with ordinary errors, which count, and
//! does its waiting inside the job. For pauses between attempts of your own errors use apalis'
//! `.retry(RetryPolicy::retries(n).with_backoff(..))`.
//!
//! A job that meets a running attempt of its operation waits inside for as long as that can take,
//! its `timeout` (60 seconds), and costs no attempt meanwhile; a `wait = ".."` of its own shortens
//! that, and each time it runs out costs one of `max_attempts` (25). It holds no connection while it
//! waits, but a place in its worker.
//!
//! A job whose body kills its process is run again by apalis without end, since apalis counts such
//! attempts and looks at the limit for `Failed` rows only. idem refuses the attempt beyond
//! `max_attempts`: the row is `Killed`, "parked", and the body does not run. Set its `status` to
//! `Pending` and its `attempts` to 0 to have it run again. apalis counts as attempts what its
//! `.retry(..)` repeats and what a stopping worker gives back, too: keep `max_attempts` above those.
//!
//! [`KeyReused`]: crate::Error::KeyReused
//! [`InvalidKey`]: crate::Error::InvalidKey
//! [`KeyUnstable`]: crate::Error::KeyUnstable
//! [`MemoUnreadable`]: crate::Error::MemoUnreadable
//! [`TransactionEnded`]: crate::Error::TransactionEnded

mod engine;
mod enqueue;
mod error;
mod job;
mod name;
mod table;

pub use enqueue::{Enqueue, Enqueued, enqueue, queue_of};
pub use error::EnqueueError;
#[cfg(feature = "macros")]
pub use idem_macros::apalis_idempotent as idempotent;
pub(crate) use name::Names;
pub use table::JobTable;
