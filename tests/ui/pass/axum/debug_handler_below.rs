#![deny(warnings)]

use crate::shop::*;

/// case M18
#[idempotent(key = (merchant.id, key))]
#[axum::debug_handler(state = App)]
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
