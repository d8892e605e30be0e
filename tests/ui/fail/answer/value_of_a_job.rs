#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

struct Receipt(u64);

#[idempotent(key = job.number)]
async fn send(job: Invoice, tx: &mut Tx<Sqlite>) -> Result<Receipt, PayError> {
    let _ = tx;
    Ok(Receipt(job.number))
}

fn main() {}
