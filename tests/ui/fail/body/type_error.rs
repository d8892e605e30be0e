#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M07
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    let amount: u32 = "x";
    amount.to_string()
}

fn main() {}
