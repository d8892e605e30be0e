#![deny(warnings)]

use crate::shop::*;

/// case M09
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<Json<Vec<u64>>, ApiError> {
    use sqlx::query;

    if new.amount == 0 {
        return Ok(Json(vec![]));
    }
    query("..").execute(&mut **tx).await?;
    let total: u64 = new
        .order
        .parse()
        .map_err(|_: std::num::ParseIntError| ApiError)?;
    Ok(Json([total].into_iter().collect()))
}

#[test]
fn compiles() {
    routes(pay);
}
