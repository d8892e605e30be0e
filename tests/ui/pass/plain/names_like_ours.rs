#![deny(warnings)]
#![allow(unused_variables, dead_code)]

use crate::shop::*;
use idem_core::idempotent;

struct Ok;
struct Err;
struct Begin;
mod core {}
mod std {}

/// Parameters named like the fn, like what the expansion names, and like keywords.
#[idempotent(key = (pay, r#type))]
async fn pay(
    pay: u64,
    __idem_begin: u8,
    __idem_p0: u8,
    __idem_tx: u8,
    __idem_answers: u8,
    r#type: u8,
    idem: &mut Tx<Sqlite>,
) -> Result<u64, PayError> {
    let (begin, tx, key) = (1, 2, idem);
    Result::Ok(pay + u64::from(__idem_begin + __idem_p0))
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1, 2, 3, 4, 5, 6));
}
