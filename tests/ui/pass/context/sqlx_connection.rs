#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Postgres>,
) -> Result<String, ApiError> {
    sqlx::query("..").execute(&mut **tx).await?;
    Ok(String::new())
}

#[test]
fn compiles() {
    routes(pay);
}
