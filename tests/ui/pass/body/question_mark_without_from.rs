#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M07
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (id, tx);
    Ok("x".parse::<u64>()? + u64::from("y".parse::<u64>()? == 1))
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
