#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    #[ambient] device: Device,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> String {
    let _ = (tx, device);
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
