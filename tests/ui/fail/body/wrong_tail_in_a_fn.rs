#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

/// case M07
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u16, PayError> {
    let _ = (id, tx);
    Ok(1u8)
}

fn main() {}
