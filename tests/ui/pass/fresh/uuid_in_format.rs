#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = format!("{}-{}", merchant.id, new.order))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> String {
    let _ = (tx, key);
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
