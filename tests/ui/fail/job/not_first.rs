#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number)]
async fn send(mail: Data<Mailer>, job: Invoice, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, mail, tx);
    Ok(())
}

fn main() {}
