#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M14: an error that is no response is named, at the return type.
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let _ = tx;
    Ok(merchant.id)
}

fn main() {}
