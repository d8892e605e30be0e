#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

struct Teller(u64);

impl Teller {
    #[idempotent(key = id, scope = "payments.refund")]
    async fn refund(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(Self(id).0)
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&Teller::refund(idem, 1));
}
