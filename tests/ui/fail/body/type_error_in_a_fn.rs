#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

/// case M07
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    let cents: u64 = "x";
    Ok(cents)
}

fn main() {}
