#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M08
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> ! {
    let _ = tx;
    panic!()
}

fn main() {}
