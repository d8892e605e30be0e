#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M07
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> Result<String, ApiError> {
    let _ = tx;
    let _ = merchant.id;
}

fn main() {}
