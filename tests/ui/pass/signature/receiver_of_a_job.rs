#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

type App = Mailer;

#[idempotent(key = job.number)]
async fn send(job: Invoice, app: Data<App>, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, app, tx);
    Ok(())
}

#[test]
fn compiles() {
    works(send);
}
