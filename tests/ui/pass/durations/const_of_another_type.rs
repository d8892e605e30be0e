#![deny(warnings)]

use crate::shop::*;

const LIFE: Duration = Duration::from_secs(86_400);

#[idempotent(key = (merchant.id, key), ttl = LIFE)]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
