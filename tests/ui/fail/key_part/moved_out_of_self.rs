#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

struct Teller {
    tenant: String,
}

fn shorten(text: String) -> String {
    text
}

impl Teller {
    #[idempotent(key = shorten(self.tenant), scope = "teller.moved")]
    async fn pay(self, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
        let _ = tx;
        Ok(self.tenant)
    }
}

fn main() {}
