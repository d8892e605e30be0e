#![deny(warnings)]

use crate::shop::*;

type Transaction<'t> = &'t mut Tx<Sqlite>;
type Work = Tx<Sqlite>;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Work) -> Result<(), ApiError> {
    work(tx).await
}

async fn work(tx: Transaction<'_>) -> Result<(), ApiError> {
    sqlx::query("..").execute(&mut **tx).await?;
    Ok(())
}

#[test]
fn compiles() {
    routes(pay);
}
