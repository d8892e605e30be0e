#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key), allow(spawn))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    let _ = std::thread::spawn(|| {}).join();
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
