#![deny(warnings)]

use crate::shop::*;

/// case M18
#[tracing::instrument(skip(tx, new))]
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<String, ApiError> {
    let _ = tx;
    Ok(new.order)
}

#[test]
fn compiles() {
    routes(pay);
}
