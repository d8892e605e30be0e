#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = order)]
async fn pay(order: u64, tx: &mut sqlx::Transaction<'_, Sqlite>) -> Result<u64, PayError> {
    sqlx::query("SELECT 1").execute(&mut **tx).await?;
    Ok(order)
}

fn main() {}
