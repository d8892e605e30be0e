#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[derive(Debug)]
struct Refused;

impl From<idem_core::Error> for Refused {
    fn from(_: idem_core::Error) -> Self {
        Refused
    }
}

#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, Refused> {
    let _ = tx;
    Ok(id)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
