#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = order)]
async fn pay(Path(order): Path<u32>, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
