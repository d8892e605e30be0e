#![deny(warnings)]

use crate::jobs::*;
use crate::shop::*;
use idem_core::apalis::idempotent;

type Answer = Result<u64, PayError>;

/// case M01, case M04, case M05
#[idempotent(key = (number, to.as_str()), scope = "apalis.shapes")]
#[must_use]
pub async fn generic<T>(
    tx: &mut Tx<Sqlite>,
    Invoice { mut number, to }: Invoice,
    Data(_tool): Data<T>,
    #[cfg(any())] gone: Missing,
    #[cfg(not(any()))] attempt: Attempt,
) -> Answer
where
    T: Clone + Send + Sync + 'static,
{
    let _ = (tx, attempt);
    number += to.len() as u64;
    Ok(number)
}

/// case M18
#[tracing::instrument(skip(tx))]
#[idempotent(key = job)]
async fn instrumented_above(job: u64, tx: &mut Tx<Sqlite>) -> Answer {
    let _ = tx;
    Ok(job)
}

/// case M18
#[idempotent(key = job)]
#[tracing::instrument(skip(tx))]
async fn instrumented_below(job: u64, tx: &mut Tx<Sqlite>) -> Answer {
    let _ = tx;
    Ok(job)
}

/// case M08, case M09
#[idempotent(key = job)]
async fn diverging(job: String, _: &mut Tx<Sqlite>) -> Answer {
    loop {
        if job.is_empty() {
            return Ok(0);
        }
        let _: u64 = job.parse()?;
    }
}

#[test]
fn compiles() {
    works(generic::<Mailer>);
    works(instrumented_above);
    works(instrumented_below);
    works(diverging);
}
