#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

struct Teller {
    tenant: String,
}

fn shorten(text: &str) -> &str {
    text
}

impl Teller {
    #[idempotent(key = shorten(&self.tenant), scope = "teller.moved")]
    async fn pay(self, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
        let _ = tx;
        Ok(self.tenant)
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| {
        is_send(
            &Teller {
                tenant: String::new(),
            }
            .pay(idem),
        )
    };
}
