#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = { let id = Uuid::new_v4(); (merchant.id, id) })]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
