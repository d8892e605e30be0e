#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Receipt(u64);

/// case M14: a value that cannot be recorded is named, at the return type.
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<Receipt, PayError> {
    let _ = tx;
    Ok(Receipt(id))
}

fn main() {}
