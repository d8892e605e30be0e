//! placeholder
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
#[cfg(feature = "axum")]
pub mod axum;
mod call;
mod engine;
mod error;
mod fingerprint;
mod idem;
mod key;
mod memo;
mod spec;
mod store;
mod tx;

pub use __private::kinds::{Caller, Operational};
pub use error::{Error, Result};
pub use fingerprint::FingerprintWriter;
pub use idem::{Builder, Idem};
#[cfg(feature = "macros")]
pub use idem_macros::{Caller, Operational};
pub use key::{KeyPart, KeyWriter, Shared, shared};
pub use store::Database;
pub use tx::Tx;
