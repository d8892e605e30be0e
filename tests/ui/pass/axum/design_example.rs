#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (merchant.id, key), ttl = "24h")]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Postgres>,
    Json(new): Json<NewPayment>,
) -> Result<(StatusCode, Json<NewPayment>), ApiError> {
    sqlx::query("..")
        .bind(&new.order)
        .execute(&mut **tx)
        .await?;
    Ok((StatusCode::CREATED, Json(new)))
}

#[test]
fn compiles() {
    routes(pay);
}
