#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case K13
#[idempotent(key = (merchant.id, new.rate))]
async fn pay(merchant: Merchant, tx: &mut Tx<Sqlite>, Json(new): Json<NewPayment>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
