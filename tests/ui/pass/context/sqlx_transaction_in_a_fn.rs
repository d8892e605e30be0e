#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[idempotent(key = order)]
async fn pay(order: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    sqlx::query("SELECT 1").execute(&mut **tx).await?;
    Ok(order)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
