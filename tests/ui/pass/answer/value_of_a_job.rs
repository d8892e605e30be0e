#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

#[derive(serde::Serialize, serde::Deserialize)]
struct Receipt(u64);

#[idempotent(key = job.number)]
async fn send(job: Invoice, tx: &mut Tx<Sqlite>) -> Result<Receipt, PayError> {
    let _ = tx;
    Ok(Receipt(job.number))
}

#[test]
fn compiles() {
    works(send);
}
