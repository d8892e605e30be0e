#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = name)]
async fn pay(name: &str, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
    let _ = tx;
    Ok(name.to_owned())
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, "a"));
}
