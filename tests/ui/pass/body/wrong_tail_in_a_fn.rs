#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M07
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u16, PayError> {
    let _ = (id, tx);
    Ok(1u16)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
