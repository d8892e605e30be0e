#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(serde::Deserialize)]
struct Secret;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>, Json(new): Json<Secret>) -> String {
    let _ = tx;
    let _ = new;
    String::new()
}

fn main() {}
