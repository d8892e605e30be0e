#![deny(warnings)]

use crate::shop::*;

/// case M07
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> Result<(), ApiError> {
    let _ = tx;
    if merchant.id.is_empty() {
        return Err(ApiError);
    }
    Ok(())
}

#[test]
fn compiles() {
    routes(pay);
}
