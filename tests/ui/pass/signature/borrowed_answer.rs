#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> &'static str {
    let _ = tx;
    ""
}

#[test]
fn compiles() {
    routes(pay);
}
