#![deny(warnings)]

use crate::shop::*;

/// case M11
fn handler() {
    #[idempotent(key = (merchant.id, key))]
    async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
        let _ = tx;
        merchant.id
    }
    routes(pay);
}

#[test]
fn compiles() {
    handler();
}
