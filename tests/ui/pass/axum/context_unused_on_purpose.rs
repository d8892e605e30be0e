#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, _: &mut Tx<Sqlite>) {}

#[idempotent(key = (merchant.id, key))]
async fn named(merchant: Merchant, key: IdempotencyKey, _tx: &mut Tx<Sqlite>) {}

#[test]
fn compiles() {
    routes(pay);
    routes(named);
}
