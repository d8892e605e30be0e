#![deny(warnings)]

#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M18
#[idempotent(key = (merchant.id, key))]
#[axum::debug_handler(state = App)]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<String, ApiError> {
    let _ = tx;
    Ok(new.order)
}

fn main() {
    routes(pay);
}
