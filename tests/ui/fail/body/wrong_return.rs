#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M07
#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> Result<(), ApiError> {
    let _ = tx;
    if merchant.id.is_empty() {
        return 1;
    }
    Ok(())
}

fn main() {}
