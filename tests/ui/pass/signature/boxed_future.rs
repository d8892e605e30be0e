#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M18
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(id)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
