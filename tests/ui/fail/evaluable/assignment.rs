#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = { new.amount += 1; (merchant.id, new.amount) })]
async fn pay(merchant: Merchant, tx: &mut Tx<Sqlite>, Json(new): Json<NewPayment>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
