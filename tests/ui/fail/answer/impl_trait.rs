#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Payment(u64);

#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<impl Iterator<Item = Payment>, PayError> {
    let _ = tx;
    Ok([Payment(id)].into_iter())
}

fn main() {}
