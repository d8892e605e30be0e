#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    mut tx: &mut Tx<Sqlite>,
    merchant: Merchant,
    key: IdempotencyKey,
) -> Result<(), ApiError> {
    let inner = tx;
    sqlx::query("..").execute(&mut **inner).await?;
    tx = inner;
    sqlx::query("..").execute(&mut **tx).await?;
    Ok(())
}

#[test]
fn compiles() {
    routes(pay);
}
