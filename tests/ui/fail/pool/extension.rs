#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    Extension(pool): Extension<sqlx::PgPool>,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> String {
    let _ = (tx, pool);
    String::new()
}

fn main() {}
