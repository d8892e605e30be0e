#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = format!("{}-{order}", merchant.id))]
async fn pay(merchant: Merchant, Path(order): Path<u32>, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
