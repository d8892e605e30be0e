#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = id)]
async fn pay<R: Send>(id: u64, repo: R, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = (tx, repo);
    Ok(id)
}

fn main() {}
