#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = format!("{:?}", mail))]
async fn send(job: Invoice, mail: Data<Mailer>, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, mail, tx);
    Ok(())
}

fn main() {}
