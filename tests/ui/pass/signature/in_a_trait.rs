#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

struct Teller;

trait Pays {
    async fn pay(&self, begin: impl Begin<Sqlite>, id: u64) -> Result<u64, PayError>;
}

impl Pays for Teller {
    /// case M11
    #[idempotent(key = id, scope = "pays.pay")]
    async fn pay(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(id)
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&Teller.pay(idem, 1));
}
