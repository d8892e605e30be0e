#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number)]
async fn send(job: Invoice, pool: Data<sqlx::SqlitePool>, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = tx;
    sqlx::query("SELECT 1").bind(job.to).execute(&*pool).await?;
    Ok(())
}

fn main() {}
