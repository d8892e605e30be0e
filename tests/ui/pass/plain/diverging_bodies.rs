#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M08
#[idempotent(key = id)]
async fn later(id: u64, _: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    todo!()
}

#[idempotent(key = id)]
async fn looping(id: u64, _tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    loop {
        if id > 3 {
            return Ok(());
        }
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| (is_send(&later(idem, 1)), is_send(&looping(idem, 1)));
}
