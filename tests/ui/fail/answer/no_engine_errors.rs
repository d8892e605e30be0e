#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[derive(Debug)]
struct Refused;

#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, Refused> {
    let _ = tx;
    Ok(id)
}

fn main() {}
