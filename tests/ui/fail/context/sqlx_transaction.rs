#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut sqlx::Transaction<'_, Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
