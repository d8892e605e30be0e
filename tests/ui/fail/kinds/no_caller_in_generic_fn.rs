#[path = "../../shop.rs"]
mod shop;
use shop::*;

trait Store: Clone {}

#[idempotent(key = key)]
async fn pay<T: Store>(State(store): State<T>, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    let _ = store;
    String::new()
}

fn main() {}
