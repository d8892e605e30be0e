#![deny(warnings)]

use crate::shop::*;

/// case M05
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    #[cfg(any())] gone: Missing,
    #[cfg(not(any()))] key: IdempotencyKey,
    #[cfg(not(any()))] headers: HeaderMap,
    #[cfg(any())] key: Missing,
    tx: &mut Tx<Sqlite>,
    #[cfg(any())] Json(last): Json<Missing>,
) -> String {
    let _ = tx;
    headers.len().to_string()
}

#[test]
fn compiles() {
    routes(pay);
}
