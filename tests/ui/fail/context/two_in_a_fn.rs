#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = order)]
async fn pay(order: u64, tx: &mut Tx<Sqlite>, log: &mut Vec<u64>) -> Result<u64, PayError> {
    let _ = (tx, log.len());
    Ok(order)
}

fn main() {}
