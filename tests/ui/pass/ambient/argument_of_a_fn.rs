#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = (id, "v1"))]
async fn pay(id: u64, #[ambient] region: u8, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(id + u64::from(region))
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1, 2));
}
