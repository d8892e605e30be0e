#[path = "../../shop.rs"]
mod shop;
use shop::*;

struct OrderKey(String);

#[idempotent(key = (merchant.id, OrderKey(new.order)))]
async fn pay(merchant: Merchant, tx: &mut Tx<Sqlite>, Json(new): Json<NewPayment>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
