#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, format!("payment-{}", new.amount)))]
async fn pay(merchant: Merchant, tx: &mut Tx<Sqlite>, Json(new): Json<NewPayment>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
