//! The bound on every wait of a test.

use std::future::Future;
use std::time::Duration;

/// How long a test waits for something that is due at once: 30 seconds.
///
/// Far above what a loaded machine needs, as it is only ever used up by a test that fails.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for `future`, at most [`PATIENCE`].
///
/// # Panics
///
/// When the time is up, naming `what` was awaited.
pub async fn soon<F: Future>(what: &str, future: F) -> F::Output {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(output) => output,
        Err(_) => panic!("waited {PATIENCE:?} in vain for {what}"),
    }
}
