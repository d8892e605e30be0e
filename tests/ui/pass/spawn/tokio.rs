#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let job = sqlx::query("INSERT INTO job ..");
    let _ = job.execute(&mut **tx).await;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
