#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = (order, uuid::Uuid::new_v4()))]
async fn pay(order: u64, amount: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(order + amount)
}

fn main() {}
