#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

struct Teller {
    tenant: String,
}

impl Teller {
    #[idempotent(key = (self.tenant, id), scope = "payments.pay")]
    async fn pay(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(id)
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| {
        is_send(&async {
            Teller {
                tenant: String::new(),
            }
            .pay(idem, 1)
            .await
        })
    };
}
