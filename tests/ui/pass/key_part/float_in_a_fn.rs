#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = amount.to_string())]
async fn pay(amount: f64, tx: &mut Tx<Sqlite>) -> Result<f64, PayError> {
    let _ = tx;
    Ok(amount)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1.0));
}
