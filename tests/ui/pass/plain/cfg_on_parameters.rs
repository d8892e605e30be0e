#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M05
#[idempotent(key = (a, who))]
async fn pay(
    a: u8,
    #[cfg(any())] gone: Missing,
    #[cfg(not(any()))] who: u32,
    #[cfg(any())] who: Missing,
    #[cfg(not(any()))]
    #[ambient]
    log: fn(u32),
    tx: &mut Tx<Sqlite>,
) -> Result<u32, PayError> {
    let _ = tx;
    log(who);
    Ok(who)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1, 2, drop));
}
