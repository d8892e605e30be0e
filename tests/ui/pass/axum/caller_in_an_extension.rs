#![deny(warnings)]

#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    Extension(merchant): Extension<Merchant>,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> String {
    let _ = tx;
    merchant.id
}

fn main() {
    routes(pay);
}
