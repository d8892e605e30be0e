#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = sqlx::query("..").execute(&mut **tx).await;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
