#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<Option<u64>, idem_core::Error> {
    let _ = tx;
    Ok(Some(id))
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
