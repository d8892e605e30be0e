#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Teller;

impl Teller {
    #[idempotent(key = "pay", scope = "teller.constant")]
    async fn pay(&self, order: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(order)
    }
}

fn main() {}
