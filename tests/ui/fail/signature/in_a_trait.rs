#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

trait Pays {
    /// case M11
    #[idempotent(key = id, scope = "pays.pay")]
    async fn pay(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError>;
}

fn main() {}
