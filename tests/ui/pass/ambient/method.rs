#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    method: Method,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> String {
    let _ = (tx, method);
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
