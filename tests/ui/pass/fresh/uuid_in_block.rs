#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = { let id = key.clone(); (merchant.id.clone(), id) })]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
