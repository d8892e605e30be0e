#[path = "../../shop.rs"]
mod shop;
use shop::*;

const LIFE: u64 = 86_400;

#[idempotent(key = (merchant.id, key), ttl = LIFE)]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
