#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<String, ApiError> {
    let charge = tx.derive_key("charge");
    let request = Request::post("/charges")
        .header("Idempotency-Key", charge)
        .header("X-Trace", uuid::Uuid::new_v4().to_string());
    let by_text = Request::post("/charges").header("Idempotency-Key", charge.to_string());
    let _ = (request.body(()), by_text.body(()), charge.to_uuid());
    sqlx::query("..")
        .bind(charge.to_string())
        .execute(&mut **tx)
        .await?;
    Ok(merchant.id)
}

#[test]
fn compiles() {
    routes(pay);
}
