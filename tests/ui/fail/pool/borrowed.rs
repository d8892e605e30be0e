#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[idempotent(key = order)]
async fn pay(order: u64, pool: &sqlx::SqlitePool, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    sqlx::query("SELECT 1").execute(pool).await?;
    Ok(order)
}

fn main() {}
