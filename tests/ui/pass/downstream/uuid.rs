#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let request = Request::post("/charges").header("Idempotency-Key", tx.derive_key("name"));
    let _ = (tx, request.body(()));
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
