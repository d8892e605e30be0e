//! A retry never does the work twice, and always gets the first answer.
//!
//! `#[idempotent]` claims a key, runs the body in the same SQL transaction, and records the answer
//! with it: one commit holds all three. Every later attempt with that key gets the recorded answer.
//!
//! ```
//! # #[cfg(all(feature = "axum", feature = "macros", feature = "sqlite"))]
//! # mod example {
//! use axum::{Extension, Json, Router, http::StatusCode, routing::post};
//! use idem_core::axum::{IdempotencyKey, idempotent};
//! use idem_core::{Caller, Idem, Tx};
//! use serde::{Deserialize, Serialize};
//! use sqlx::{Sqlite, SqlitePool};
//!
//! #[derive(Clone, Caller)]
//! struct Merchant { id: i64 }
//!
//! #[derive(Serialize, Deserialize)]
//! struct NewPayment { order: String, amount: i64 }
//!
//! #[idempotent(key = (merchant.id, key), ttl = "24h")]
//! async fn create_payment(
//!     Extension(merchant): Extension<Merchant>,
//!     key: IdempotencyKey,
//!     tx: &mut Tx<Sqlite>,
//!     Json(new): Json<NewPayment>,
//! ) -> Result<StatusCode, StatusCode> {
//!     sqlx::query("INSERT INTO payment (merchant, order_id, amount) VALUES ($1, $2, $3)")
//!         .bind(merchant.id)
//!         .bind(&new.order)
//!         .bind(new.amount)
//!         .execute(&mut **tx)
//!         .await
//!         .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
//!     Ok(StatusCode::CREATED)
//! }
//!
//! async fn app(pool: SqlitePool) -> Result<Router, idem_core::Error> {
//!     let idem = Idem::new(pool)?;
//!     idem.setup().await?;
//!     Ok(Router::new().route("/payments", post(create_payment)).with_state(idem))
//! }
//! # }
//! ```
//!
//! # Forms
//!
//! - [`axum::idempotent`](macro@crate::axum::idempotent) on handlers, feature `axum`;
//! - [`apalis::idempotent`](macro@crate::apalis::idempotent) on jobs, feature `apalis`, with
//!   [`apalis::enqueue`] to add jobs in an operation's transaction;
//! - [`idempotent`](macro@crate::idempotent) on any other async fn or method that returns a `Result`;
//!   its caller passes a [`Begin`]: `&idem`, or a running [`Tx`] to join.
//!
//! # Promises
//!
//! 1. **One effect.** Of all attempts of one operation, the body's writes through [`Tx`] are
//!    committed once, together with the answer; under races, crashes, lost connections and restarts.
//! 2. **One answer.** Every later attempt within `ttl` gets that answer: for HTTP the same status,
//!    stored header lines and bytes.
//! 3. **No silent misuse.** What can be seen at compile time is a compile error that says what to
//!    write instead; what only run time can know is an [`Error`], never a guess.
//!
//! # Which answers are recorded
//!
//! An `Err` never commits. Of plain fns and jobs, an `Ok` is recorded, and an `Err` whose type says
//! that it is [`Final`]; any other `Err` frees the key. Of handlers, the status and `memoize` decide:
//!
//! | answer | `success` | `final` (default) | `all` |
//! |---|---|---|---|
//! | not `Err`, 2xx or 3xx | commit, record | commit, record | commit, record |
//! | not `Err`, 4xx but 408, 409, 425, 429 | roll back, release | commit, record | commit, record |
//! | `Err`, 2xx, 3xx, or such a 4xx | roll back, release | roll back, record | roll back, record |
//! | 5xx, 408, 409, 425, 429 | roll back, release | roll back, release | not `Err`: commit, record; `Err`: roll back, record |
//!
//! Extractors run before the claim, so what they reject costs no key; authentication runs on every
//! attempt, replays included. A recorded failure is replayed like a success: a corrected request
//! needs a new key.
//!
//! # What must match
//!
//! A key reused with other inputs is refused with 422. Inputs are the request's method, its path as
//! the client sent it, its query, and every operational parameter, in the order of the parameters.
//! They are compared as parsed values, not as bytes:
//!
//! - Members of maps and structs in any order; a null member is the same as an absent one, so that
//!   a new optional field does not break retries over a deploy. Of duplicate names your
//!   `Deserialize` decides.
//! - Arrays keep their order. Numbers count by value: `1`, `1.0` and `1e0` are one.
//! - Text counts by its bytes: `"é"` composed and decomposed are two.
//! - The query is parsed and sorted by name; values of one name keep their order.
//!
//! Traps: a `HashSet` serializes in another order in each process, and a type that redacts itself
//! in `Serialize` hides what differs. Leave such fields out with `#[operational(skip)]` or
//! `#[serde(skip_serializing)]`, or say what must match with `fingerprint = ..`.
//!
//! # Limits
//!
//! - Effects outside the database are not undone by a rollback, and a body may run again after one
//!   (the process died, the reply was an `Err`): do them behind the commit, or make them idempotent
//!   at the other side.
//! - A write through a pool or another connection is outside the operation's transaction; the
//!   attribute refuses the obvious ways to such a write.
//! - After `ttl`, counted from completion, a key is free again: a later retry is a new operation.
//!   A queue that retries for longer than `ttl` runs it again.
//! - Without `scope = ".."` the scope is the fn's module path and name: renaming or moving it makes
//!   every retry in flight a new operation.
//! - Ids that start over (a table truncated with its sequence) meet the records of the old ones.
//!   Prefer random ids in keys.
//! - On SQLite a body holds the only writer for its whole length.
//! - A body whose client hangs up goes on in a task of its own, with the caller's tracing span but
//!   without its task-locals.
//! - [`Idem::forget`] reaches caches of other processes within 60 seconds.
//!
//! # Features
//!
//! `macros` (default), `postgres`, `sqlite`, `axum`, `apalis`; `time` and `chrono` let their dates
//! without time stand in keys. No feature changes what another does.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "axum", feature = "postgres", feature = "sqlite")),
    allow(
        dead_code,
        unused_imports,
        reason = "each form and each store uses its part of the engine"
    )
)]

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
#[cfg(feature = "apalis")]
pub mod apalis;
#[cfg(feature = "axum")]
pub mod axum;
mod begin;
mod call;
mod door;
mod drive;
mod engine;
mod error;
mod finality;
mod fingerprint;
mod idem;
mod key;
mod memo;
mod registry;
mod spec;
mod store;
mod tx;
mod typed;
mod unstoppable;

use __private as private;
pub use __private::kinds::{Caller, Operational};
pub use begin::{Begin, Joined};
pub use error::{Error, Result};
pub use finality::Final;
pub use fingerprint::FingerprintWriter;
pub use idem::{Builder, Idem};
#[cfg(feature = "macros")]
pub use idem_macros::{Caller, Final, KeyPart, Operational, idempotent};
pub use key::{DerivedKey, KeyPart, KeyWriter, Shared, shared};
pub use registry::{OperationInfo, operations};
pub use spec::Form;
pub use store::Database;
pub use tx::{Context, Tx};

/// The README's examples, compiled.
#[cfg(all(doctest, feature = "axum", feature = "sqlite"))]
#[doc = include_str!("../../README.md")]
struct Readme;
