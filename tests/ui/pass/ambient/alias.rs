#![deny(warnings)]

use crate::shop::*;

type Shop = State<App>;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    State(app): Shop,
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
