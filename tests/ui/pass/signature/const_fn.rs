#![deny(warnings)]

use crate::shop::*;

/// case M11
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
