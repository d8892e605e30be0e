#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = format!("{}-{}", merchant.id, uuid::Uuid::new_v4()))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
