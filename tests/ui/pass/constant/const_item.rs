#![deny(warnings)]

use crate::shop::*;

const NAME: &str = "payment";

#[idempotent(key = (merchant.id, NAME, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
