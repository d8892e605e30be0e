#![deny(warnings)]

use crate::shop::*;

type Payment = NewPayment;

/// case M08
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<Json<Payment>, ApiError> {
    let _ = tx;
    Err(ApiError)
}

#[test]
fn compiles() {
    routes(pay);
}
