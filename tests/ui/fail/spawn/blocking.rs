#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    let _ = tokio::task::spawn_blocking(|| 1).await;
    String::new()
}

fn main() {}
