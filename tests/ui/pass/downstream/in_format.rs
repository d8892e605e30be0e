#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, work: &mut Tx<Sqlite>) -> String {
    let charge = [(
        "idempotency-key",
        format!("charge-{}", work.derive_key("name")),
    )];
    let _ = (work, charge);
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
