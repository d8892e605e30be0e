#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = (id, region))]
async fn pay(id: u64, #[ambient] region: u8, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(id + u64::from(region))
}

fn main() {}
