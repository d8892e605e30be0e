#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Teller {
    tenant: String,
}

impl Teller {
    #[idempotent(key = (self.tenant, id))]
    async fn pay(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(id)
    }
}

fn main() {}
