#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, order))]
async fn pay(merchant: Merchant, Path(order): Path<u32>, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
