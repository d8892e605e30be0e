#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, work: &mut Tx<Sqlite>) -> String {
    let charge = [("idempotency-key", format!("charge-{}", Uuid::now_v7()))];
    let _ = (work, charge);
    String::new()
}

fn main() {}
