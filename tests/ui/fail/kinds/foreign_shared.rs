#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = shared(key))]
async fn pay(key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn shared<T>(part: T) -> T {
    part
}

fn main() {}
