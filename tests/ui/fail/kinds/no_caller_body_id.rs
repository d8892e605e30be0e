#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = format!("payment-{}", new.amount))]
async fn pay(tx: &mut Tx<Sqlite>, Json(new): Json<NewPayment>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
