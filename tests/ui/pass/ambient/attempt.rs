#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number)]
async fn send(job: Invoice, attempt: Attempt, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, attempt, tx);
    Ok(())
}

#[test]
fn compiles() {
    works(send);
}
