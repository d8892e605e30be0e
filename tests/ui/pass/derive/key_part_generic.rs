#![deny(warnings)]

use crate::shop::*;

#[derive(KeyPart)]
struct Versioned<T> {
    id: T,
    version: u32,
}

#[idempotent(key = (merchant.id, Versioned { id: key.as_str(), version: 1 }))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
