#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> Json<u64> {
    let _ = tx;
    Json(1)
}

/// Streams what `pay` started.
async fn events(Path(id): Path<u64>) -> String {
    id.to_string()
}

#[test]
fn compiles() {
    routes(pay);
    routes(events);
}
