#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

/// case M07
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (id, tx);
    Ok("x".parse::<u64>()? + u64::from("y".parse::<char>()? == 'y'))
}

fn main() {}
