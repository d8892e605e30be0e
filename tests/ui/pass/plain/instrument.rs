#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M18: above it sees the fn as it is written.
#[tracing::instrument(skip(tx))]
#[idempotent(key = id)]
async fn above(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(id)
}

/// case M18: below it is moved above.
#[idempotent(key = (id, name), ttl = "2h")]
#[tracing::instrument(skip(tx, secret), fields(length = name.len()))]
#[must_use]
async fn below(
    id: u64,
    /// dropped
    name: &str,
    #[ambient] secret: u8,
    tx: &mut Tx<Sqlite>,
) -> Result<u64, PayError> {
    #![allow(unused_mut)]
    let _ = (tx, secret);
    let mut id = id;
    Ok(id)
}

#[derive(Debug)]
struct Teller;

impl Teller {
    #[idempotent(key = id, scope = "instrumented.method")]
    #[cfg_attr(all(), tracing::instrument(skip_all))]
    async fn method(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(id)
    }
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| {
        is_send(&above(idem, 1));
        is_send(&below(idem, 1, "", 2));
        is_send(&Teller.method(idem, 1));
    };
}
