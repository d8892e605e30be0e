#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = shared(key))]
async fn pay(key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
