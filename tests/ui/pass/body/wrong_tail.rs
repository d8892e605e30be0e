#![deny(warnings)]

use crate::shop::*;

/// case M07
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<Json<u16>, ApiError> {
    let _ = tx;
    Ok(Json(1))
}

#[test]
fn compiles() {
    routes(pay);
}
