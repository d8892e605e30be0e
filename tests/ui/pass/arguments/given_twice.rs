#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key), ttl = "1h")]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
