#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

/// case M09
#[idempotent(key = text)]
async fn pay(text: String, tx: &mut Tx<Sqlite>) -> Result<Vec<u64>, PayError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let number = text.parse::<u64>()?;
    sqlx::query("SELECT 1").execute(&mut **tx).await?;
    if number == 0 {
        Err("zero".parse::<u64>().unwrap_err())?;
    }
    Ok(text
        .split(',')
        .map(|one| one.parse())
        .collect::<Result<_, _>>()?)
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, String::new()));
}
