#![deny(warnings)]

use crate::shop::*;

/// case M18
#[idempotent(key = (merchant.id, key))]
#[tracing::instrument(skip(tx, new), fields(order = new.order), err(Debug))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<String, ApiError> {
    let _ = tx;
    Ok(new.order)
}

#[idempotent(key = (merchant.id, key))]
#[cfg_attr(all(), tracing::instrument(skip_all))]
async fn conditional(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    merchant.id
}

#[test]
fn compiles() {
    routes(pay);
    routes(conditional);
}
