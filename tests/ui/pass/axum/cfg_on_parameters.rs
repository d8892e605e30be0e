#![deny(warnings)]

#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M05
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    #[cfg(any())] gone: Missing,
    #[cfg(not(any()))] key: IdempotencyKey,
    #[cfg(all())] headers: HeaderMap,
    #[cfg(any())] key: Missing,
    tx: &mut Tx<Sqlite>,
    #[cfg(not(all()))] Json(last): Json<Missing>,
) -> String {
    let _ = tx;
    headers.len().to_string()
}

fn main() {
    routes(pay);
}
