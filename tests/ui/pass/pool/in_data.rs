#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number)]
async fn send(job: Invoice, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    sqlx::query("SELECT 1")
        .bind(job.to)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

#[test]
fn compiles() {
    works(send);
}
