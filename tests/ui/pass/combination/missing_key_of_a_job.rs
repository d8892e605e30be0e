#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number)]
async fn send(job: Invoice, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, tx);
    Ok(())
}

#[test]
fn compiles() {
    works(send);
}
