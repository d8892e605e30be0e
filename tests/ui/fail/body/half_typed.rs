#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    merchant.
}

fn main() {
    routes(pay);
}
