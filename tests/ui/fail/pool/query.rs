#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(#[ambient] app: State<App>, merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> Result<(), ApiError> {
    let _ = tx;
    sqlx::query("..").execute(&app.pool).await?;
    Ok(())
}

fn main() {}
