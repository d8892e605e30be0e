#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

struct Teller {
    tenant: String,
}

impl Teller {
    /// case M07
    #[idempotent(key = self.tenant, scope = "teller.borrow_error")]
    async fn pay(&mut self, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
        let _ = tx;
        self.tenant.push('!');
        Ok(self.tenant.clone())
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| {
        is_send(&async {
            Teller {
                tenant: String::new(),
            }
            .pay(idem)
            .await
        })
    };
}
