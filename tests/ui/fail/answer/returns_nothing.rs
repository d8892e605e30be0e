#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) {
    let _ = (id, tx);
}

fn main() {}
