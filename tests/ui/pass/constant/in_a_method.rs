#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

struct Teller;

impl Teller {
    #[idempotent(key = ("pay", order), scope = "teller.constant")]
    async fn pay(&self, order: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(order)
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&Teller.pay(idem, 1));
}
