#![deny(warnings)]

use crate::shop::*;

const REGION: &str = "eu";

#[idempotent(key = (merchant.id, key, REGION))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
