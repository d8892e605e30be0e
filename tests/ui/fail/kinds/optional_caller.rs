#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.as_ref().map(|one| &one.id), key))]
async fn pay(merchant: Option<Merchant>, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
