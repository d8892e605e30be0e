#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = format!("{}-{ordr}", merchant.id))]
async fn pay(merchant: Merchant, Path(order): Path<u32>, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
