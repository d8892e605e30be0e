#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (new.order, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>, Json(new): Json<NewPayment>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
