#![deny(warnings)]

use crate::shop::*;

/// case M07
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    let amount: u32 = 1;
    amount.to_string()
}

#[test]
fn compiles() {
    routes(pay);
}
