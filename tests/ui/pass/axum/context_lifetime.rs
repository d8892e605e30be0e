#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay<'t>(merchant: Merchant, key: IdempotencyKey, tx: &'t mut Tx<Sqlite>) -> String
where
    't: 't,
{
    let held: &'t mut Tx<Sqlite> = tx;
    let _ = held;
    merchant.id
}

#[test]
fn compiles() {
    routes(pay);
}
