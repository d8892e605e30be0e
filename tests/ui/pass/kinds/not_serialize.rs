#![deny(warnings)]

use crate::shop::*;

#[derive(serde::Deserialize)]
/// Not so secret.
#[derive(serde::Serialize)]
struct Secret;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<Secret>,
) -> String {
    let _ = tx;
    let _ = new;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
