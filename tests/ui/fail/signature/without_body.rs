#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M11
trait Payments {
    #[idempotent(key = (merchant.id, key))]
    async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String;
}

fn main() {}
