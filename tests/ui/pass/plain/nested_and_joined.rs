#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// A handler, a plain fn that joins it, and one that joins that.
#[idem_core::axum::idempotent(key = (merchant.id, key))]
async fn create(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<String, ApiError> {
    pay(&mut *tx, &merchant, 1).await?;
    pay(tx, &merchant, 2).await?;
    Ok(merchant.id)
}

#[idempotent(key = (by.id, line))]
async fn pay(by: &Merchant, line: u8, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    #[idempotent(key = line)]
    async fn book(line: u8, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
        sqlx::query("SELECT 1")
            .bind(line)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }
    book(tx, line).await?;
    let _ = by;
    Ok(())
}

#[test]
fn compiles() {
    routes(create);
}
