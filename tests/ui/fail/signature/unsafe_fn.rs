#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M11
#[idempotent(key = (merchant.id, key))]
async unsafe fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
