#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key), fingerprint = (new.order, new.lines.len(), headers.len()))]
async fn pay(
    headers: HeaderMap,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> String {
    let _ = tx;
    new.order
}

#[derive(serde::Deserialize)]
struct Secret {
    text: String,
}

#[idempotent(key = (merchant.id, key), fingerprint = none)]
async fn secret(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<Secret>,
) -> String {
    let _ = tx;
    new.text
}

#[test]
fn compiles() {
    routes(pay);
    routes(secret);
}
