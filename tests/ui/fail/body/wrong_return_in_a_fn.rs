#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

/// case M07
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = tx;
    if id == 0 {
        return 1;
    }
    Ok(())
}

fn main() {}
