#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    let count = std::sync::Arc::new(1);
    std::future::ready(()).await;
    count.to_string()
}

#[test]
fn compiles() {
    routes(pay);
}
