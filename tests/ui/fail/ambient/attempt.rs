#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = (job.number, attempt.current()))]
async fn send(job: Invoice, attempt: Attempt, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, attempt, tx);
    Ok(())
}

fn main() {}
