#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key), allow(pool))]
async fn pay(
    Extension(pool): Extension<sqlx::PgPool>,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> String {
    let _ = (tx, pool);
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
