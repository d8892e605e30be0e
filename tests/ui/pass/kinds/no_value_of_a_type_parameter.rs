#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = id)]
async fn pay<R: Send>(id: u64, #[ambient] repo: R, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (tx, repo);
    Ok(id)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1, ()));
}
