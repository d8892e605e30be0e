#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Options {
    quick: bool,
}

#[idempotent(key = id)]
async fn pay(id: u64, options: Options, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (tx, options.quick);
    Ok(id)
}

fn main() {}
