#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

type Tool = Data<u64>;

#[idempotent(key = job.number)]
async fn send(job: Invoice, tool: Tool, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, tool, tx);
    Ok(())
}

#[test]
fn compiles() {
    works(send);
}
