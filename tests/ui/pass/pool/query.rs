#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    #[allow(unused_variables)] app: State<App>,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<(), ApiError> {
    sqlx::query("..").execute(&mut **tx).await?;
    Ok(())
}

#[test]
fn compiles() {
    routes(pay);
}
