#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<String, ApiError> {
    let _ = tx;
    Ok(merchant.id)
}

#[test]
fn compiles() {
    routes(pay);
}
