#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = name)]
async fn pay<'a>(name: &'a str, tx: &mut Tx<Sqlite>) -> Result<&'a str, PayError> {
    let _ = tx;
    Ok(name)
}

fn main() {}
