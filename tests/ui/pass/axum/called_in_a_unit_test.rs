#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(tx: &mut Tx<Sqlite>, merchant: Merchant, key: IdempotencyKey) -> String {
    let _ = tx;
    merchant.id
}

/// The engine comes first, whatever the place of `tx`; the number of parameters stays.
#[allow(dead_code)]
async fn call(idem: &Idem<Sqlite>, merchant: Merchant, key: IdempotencyKey) -> Response {
    pay(idem.into(), merchant, key).await
}

#[test]
fn compiles() {
    routes(pay);
}
