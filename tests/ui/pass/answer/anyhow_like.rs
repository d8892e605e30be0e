#![deny(warnings)]

use crate::shop::*;

/// case M14: an error that is a response; neither `Clone` nor `Serialize` is asked of it.
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
