#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

/// case M11
#[idempotent(key = id)]
fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(id)
}

fn main() {}
