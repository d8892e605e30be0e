#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay<Db: idem_core::Database>(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
) -> String {
    let _ = tx;
    merchant.id
}

#[test]
fn compiles() {
    routes(pay::<Sqlite>);
    routes(pay::<Postgres>);
}
