#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number)]
async fn send(job: Invoice, tx: &mut Tx<Sqlite>) {
    let _ = (job, tx);
}

fn main() {}
