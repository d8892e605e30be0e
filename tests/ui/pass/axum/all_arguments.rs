#![deny(warnings)]

use crate::shop::*;

mod limits {
    pub const WAIT: std::time::Duration = std::time::Duration::from_secs(1);
}

const LIFE: Duration = Duration::from_secs(60);

#[idempotent(
    key = (merchant.id, key),
    ttl = LIFE,
    scope = "payments.create",
    wait = limits::WAIT,
    timeout = "30s",
    fingerprint = (new.order, new.amount),
    memoize = success,
    missing_key = run,
    allow(pool, spawn),
    crate = ::idem_core,
)]
async fn pay(
    State(app): State<App>,
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<String, ApiError> {
    tokio::spawn(async {});
    sqlx::query("..").execute(&mut **tx).await?;
    Ok(app.region + &new.order)
}

#[idempotent(key = (merchant.id, key), fingerprint = none, memoize = final, wait = "0s")]
async fn none(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) {
    let _ = tx;
}

#[idempotent(key = (merchant.id, key), fingerprint = new.amount, memoize = all, allow(pool))]
async fn value(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    pool: State<Reads>,
    Json(new): Json<NewPayment>,
) -> String {
    let _ = (tx, pool);
    new.order
}

type Reads = App;

#[test]
fn compiles() {
    routes(pay);
    routes(none);
    routes(value);
}
