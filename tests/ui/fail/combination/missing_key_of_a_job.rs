#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number, missing_key = run)]
async fn send(job: Invoice, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, tx);
    Ok(())
}

fn main() {}
