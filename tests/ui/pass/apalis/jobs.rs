#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

#[idempotent(key = job.number, ttl = "7d")]
async fn send(job: Invoice, mail: Data<Mailer>, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
    let _ = mail;
    sqlx::query("SELECT 1").execute(&mut **tx).await?;
    Ok(job.to)
}

/// The task's own id is the same over retries; a `BoxDynError` stays what it is.
#[idempotent(key = task, wait = "1s", memoize = success)]
async fn by_task(
    Invoice { number, .. }: Invoice,
    task: TaskId,
    worker: WorkerContext,
    attempt: Attempt,
    tx: &mut Tx<Postgres>,
) -> Result<u64, BoxDynError> {
    let _ = (tx, task, worker);
    if number == 0 {
        return Err("no such invoice".into());
    }
    Ok(number + attempt.current() as u64)
}

#[derive(Debug, Serialize, Deserialize, Final)]
enum Refused {
    #[final_error]
    Gone,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("gone")
    }
}

impl std::error::Error for Refused {}

/// An error of a job need not hold the engine's.
#[idempotent(key = shared(job.to), fingerprint = none)]
async fn refusing(job: Invoice, tx: &mut Tx<Sqlite>) -> Result<(), Refused> {
    let _ = (job, tx);
    Err(Refused::Gone)
}

#[test]
fn compiles() {
    works(send);
    works(by_task);
    works(refusing);
}
