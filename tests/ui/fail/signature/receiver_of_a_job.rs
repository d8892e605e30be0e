#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

impl Mailer {
    #[idempotent(key = job.number)]
    async fn send(&self, job: Invoice, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
        let _ = (job, tx);
        Ok(())
    }
}

fn main() {}
