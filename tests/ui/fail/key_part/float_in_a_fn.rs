#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = amount)]
async fn pay(amount: f64, tx: &mut Tx<Sqlite>) -> Result<f64, PayError> {
    let _ = tx;
    Ok(amount)
}

fn main() {}
