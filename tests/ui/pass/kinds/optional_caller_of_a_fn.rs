#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = id)]
async fn pay(id: u64, by: crate::shop::Merchant, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (tx, by);
    Ok(id)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| {
        is_send(&async { pay(idem, 1, Merchant { id: String::new() }).await })
    };
}
