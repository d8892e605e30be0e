#![deny(warnings)]

use crate::shop::*;

/// Pays.
#[idempotent(key = (merchant.id, key))]
#[must_use]
#[allow(clippy::unused_async, reason = "an example")]
async fn pay(
    /// whose payment it is
    merchant: Merchant,
    /// its name
    key: IdempotencyKey,
    #[allow(unused_variables)] headers: HeaderMap,
    #[ambient] device: Device,
    tx: &mut Tx<Sqlite>,
) -> String {
    #![allow(unused_mut)]
    let mut id = device.id;
    let _ = tx;
    id
}

#[test]
fn compiles() {
    routes(pay);
}
