#![deny(warnings)]

use crate::shop::*;

#[derive(KeyPart)]
struct OrderKey<'a>(&'a str);

#[idempotent(key = (merchant.id, OrderKey(&new.order)))]
async fn pay(merchant: Merchant, tx: &mut Tx<Sqlite>, Json(new): Json<NewPayment>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
