#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    State(app): State<App>,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> String {
    let _ = (tx, app);
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
