#[path = "../../shop.rs"]
mod shop;
use shop::*;

const NAME: &str = "payment";

#[idempotent(key = NAME)]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
