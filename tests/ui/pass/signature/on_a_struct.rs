#![deny(warnings)]

use crate::shop::*;

struct Payment {
    merchant: Merchant,
}

/// case M11
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    Payment { merchant }.merchant.id
}

#[test]
fn compiles() {
    routes(pay);
}
