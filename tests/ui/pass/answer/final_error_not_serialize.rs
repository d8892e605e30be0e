#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[derive(Debug, Final, serde::Serialize, serde::Deserialize)]
enum Refused {
    #[final_error]
    SoldOut,
}

impl From<idem_core::Error> for Refused {
    fn from(_: idem_core::Error) -> Self {
        Refused::SoldOut
    }
}

/// case M14: a final error is recorded, so it needs serde.
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, Refused> {
    let _ = tx;
    Ok(id)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
