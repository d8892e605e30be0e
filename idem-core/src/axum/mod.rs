//! The axum half: annotated handlers, the `Idempotency-Key` header, answers and their replays.

mod header;
mod memo;
mod operation;
mod policy;
mod problem;
mod run;
mod stored_headers;

pub use header::{IdempotencyKey, KeyRejection};
#[cfg(feature = "macros")]
pub use idem_macros::axum_idempotent as idempotent;
pub use operation::Operation;
pub(crate) use problem::docs_link;
pub use run::Run;
pub use stored_headers::StoredHeaders;
