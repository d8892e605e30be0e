#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let request = Request::post("/charges").header("Idempotency-Key", Uuid::new_v4().to_string());
    let _ = (tx, request.body(()));
    String::new()
}

fn main() {}
