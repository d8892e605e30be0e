#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M18: docs and lints stay on the public fn.
///
/// They do.
#[must_use]
#[deprecated(note = "pay at once")]
#[allow(clippy::unused_async)]
#[idempotent(key = id)]
#[doc(hidden)]
pub async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    #![allow(unused_variables)]
    let unused = tx;
    Ok(id)
}

#[test]
fn compiles() {
    #[allow(deprecated)]
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
