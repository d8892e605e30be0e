#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Teller(u64);

impl Teller {
    #[idempotent(key = id)]
    async fn refund(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(Self(id).0)
    }
}

fn main() {}
