#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

const LIFE: Duration = Duration::from_secs(7200);

#[idempotent(
    key = shared((new.order, "v1")),
    ttl = LIFE,
    scope = "plain.all_arguments",
    wait = "0s",
    timeout = "30s",
    fingerprint = (new.order, new.amount),
    memoize = final,
    allow(pool, spawn),
    crate = ::idem_core
)]
async fn pay(
    new: &NewPayment,
    tx: &mut Tx<Sqlite>,
    pool: &sqlx::SqlitePool,
) -> Result<(), PayError> {
    let _ = (new, tx, pool);
    tokio::spawn(async {}).await.unwrap();
    Ok(())
}

#[idempotent(key = id, fingerprint = none)]
async fn nothing_must_match(id: &str, rest: f64, tx: &mut Tx<Sqlite>) -> Result<f64, PayError> {
    let _ = (id, tx);
    Ok(rest)
}

#[idempotent(key = 7 + id, memoize = success)]
async fn of_many_lives(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(id)
}

#[test]
fn compiles() {
    let _ =
        |idem: &'static Idem<Sqlite>, new: &'static NewPayment, pool: &'static sqlx::SqlitePool| {
            is_send(&pay(idem, new, pool));
            is_send(&nothing_must_match(idem, "", 1.0));
            is_send(&of_many_lives(idem, 1));
        };
}
