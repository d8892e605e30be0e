//! What expansions name beside the public API. Hidden; no promise of stability whatever.

pub mod answers;
pub mod kinds;
pub mod outcome;

pub use core;

pub use inventory::submit;
pub use serde::Serialize;

#[cfg(feature = "apalis")]
pub use apalis_core::error::BoxDynError;

#[cfg(feature = "axum")]
pub use crate::axum::Run;
pub use crate::begin::begin;
pub use crate::door::Door;
use crate::error::{Error, Result};
pub use crate::fingerprint::FingerprintWriter;
pub use crate::key::Key;
use crate::key::KeyPart;
pub use crate::registry::Registered;
pub use crate::spec::{Form, Memoize, Spec};
pub use crate::tx::Context;

#[cfg(feature = "axum")]
pub type Response = axum::response::Response;

/// Evaluates a key expression: once, or in debug builds twice.
///
/// # Errors
/// [`Error::KeyUnstable`] when the two differ, [`Error::InvalidKey`] when it is too long.
pub fn key<K: KeyPart>(spec: &Spec, part: impl Fn() -> K) -> Result<Key> {
    let key = Key::new(&part())?;
    if cfg!(debug_assertions) && Key::new(&part())? != key {
        return Err(Error::KeyUnstable { scope: spec.scope });
    }
    Ok(key)
}

/// Writes the value of `fingerprint = ..`, before the claim.
pub fn fingerprint<C: Context, T: Serialize + ?Sized>(context: &mut C, value: &T) {
    context.replace_fingerprint(value);
}

/// Claims the key; on a replay it never returns, and whoever drives the body drops it.
pub fn claim<C: Context>(context: &mut C, key: Result<Key>) -> impl Future<Output = ()> + Send {
    context.claim(key)
}

/// The response of a body.
#[cfg(feature = "axum")]
pub fn into_response<R: axum::response::IntoResponse>(answer: R) -> Response {
    answer.into_response()
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    #[test]
    fn a_key_that_differs_when_evaluated_again_is_an_error_naming_its_scope() {
        let spec = Spec {
            scope: "payments.create",
            form: Form::Axum,
            key: "fresh(merchant.id)",
            file: "",
            line: 0,
            ttl: Duration::from_secs(1),
            wait: None,
            timeout: None,
            memoize: Memoize::Final,
        };
        let counter = AtomicU32::new(0);
        let refused = key(&spec, || counter.fetch_add(1, Ordering::Relaxed)).unwrap_err();
        assert!(matches!(
            refused,
            Error::KeyUnstable {
                scope: "payments.create"
            }
        ));
        assert!(refused.to_string().contains("payments.create"));
        assert!(key(&spec, || 7).is_ok());
    }
}
