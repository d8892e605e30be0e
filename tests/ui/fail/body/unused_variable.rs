#![deny(warnings)]

#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let amount = 1;
    String::new()
}

fn main() {
    routes(pay);
}
