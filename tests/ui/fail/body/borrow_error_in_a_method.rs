#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Teller {
    tenant: String,
}

impl Teller {
    /// case M07
    #[idempotent(key = self.tenant, scope = "teller.borrow_error")]
    async fn pay(&self, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
        let _ = tx;
        self.tenant.push('!');
        Ok(self.tenant.clone())
    }
}

fn main() {}
