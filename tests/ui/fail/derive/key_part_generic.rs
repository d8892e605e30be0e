#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(KeyPart)]
struct Versioned<T> {
    id: T,
    version: u32,
}

#[idempotent(key = (merchant.id, Versioned { id: 1.5, version: 1 }))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
