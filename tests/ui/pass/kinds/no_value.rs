#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[derive(serde::Serialize)]
struct Options {
    quick: bool,
}

#[idempotent(key = id)]
async fn pay(id: u64, options: Options, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (tx, options.quick);
    Ok(id)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1, Options { quick: true }));
}
