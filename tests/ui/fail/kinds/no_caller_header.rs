#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = key)]
async fn pay(key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
