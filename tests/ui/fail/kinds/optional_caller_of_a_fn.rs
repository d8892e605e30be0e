#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = id)]
async fn pay(id: u64, by: Option<Merchant>, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (tx, by);
    Ok(id)
}

fn main() {}
