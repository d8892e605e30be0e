#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = order)]
async fn pay(order: u64, tx: &mut Tx<Sqlite>, log: &Vec<u64>) -> Result<u64, PayError> {
    let _ = (tx, log.len());
    Ok(order)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&async { pay(idem, 1, &vec![]).await });
}
