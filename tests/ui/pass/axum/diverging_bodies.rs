#![deny(warnings)]

use crate::shop::*;

/// case M08
#[idempotent(key = (merchant.id, key))]
async fn unwritten(
    merchant: Merchant,
    key: IdempotencyKey,
    _: &mut Tx<Sqlite>,
) -> Result<String, ApiError> {
    todo!()
}

#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<String, ApiError> {
    loop {
        if sqlx::query("..").execute(&mut **tx).await.is_ok() {
            return Ok(merchant.id);
        }
    }
}

#[test]
fn compiles() {
    routes(unwritten);
    routes(pay);
}
