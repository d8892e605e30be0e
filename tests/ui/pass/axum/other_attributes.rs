#![deny(warnings)]

use crate::shop::*;

/// case M18
#[idempotent(key = (merchant.id, key))]
#[must_use]
#[deprecated(note = "an example")]
#[allow(clippy::unused_async)]
#[cfg(not(any()))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    merchant.id
}

#[test]
#[expect(deprecated)]
fn compiles() {
    routes(pay);
}
