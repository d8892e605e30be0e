//! What a job answers, and what apalis' own row says of it.

use std::time::{Duration, Instant};

use apalis::prelude::{AbortError, BoxDynError};
use idem_test_support::patience::soon;
use sqlx::Executor as _;

use super::super::shop::{Bodies, Job, Shop, write};
use super::super::work::{CHARGES, ChargeError, INVOICES, Invoice, Pace};

/// Delivers every job again, as apalis' sweep of orphans does.
const REDELIVER: &str = "status = 'Pending', done_at = NULL, lock_by = NULL, lock_at = NULL, \
                         attempts = attempts + 1";

/// The next run writes and then fails with this.
fn fails<E: From<sqlx::Error> + Send + 'static>(bodies: &Bodies<i64, E>, error: E) {
    bodies.next(|tx| {
        Box::pin(async move {
            write(tx, 99).await?;
            Err(error)
        })
    });
}

fn said(job: &Job) -> &str {
    job.result.as_deref().unwrap_or_default()
}

/// case J02: a failure is undone and run again, a success is replayed; each attempt counts once.
/// case J13: whoever wants to run again says so with an `Err`.
#[tokio::test]
async fn failures_run_again_until_the_first_success() {
    let shop = Shop::new().await;
    for again in ["once", "twice", "thrice"] {
        fails(&shop.invoices, BoxDynError::from(again));
    }
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let mut hand = shop.hire(&Pace::default());
    for again in ["once", "twice", "thrice"] {
        assert_eq!(hand.error().await, again);
    }
    let job = shop.job_is("Done").await;
    assert_eq!((job.attempts, said(&job).contains('7')), (4, true));
    // Delivered again, here and by a process that does not know the answer yet.
    let other = shop.neighbour().await.hire(&Pace::default());
    for attempts in [6, 8, 10] {
        shop.update_jobs(REDELIVER).await;
        assert_eq!(shop.job_is("Done").await.attempts, attempts);
    }
    assert_eq!((shop.invoices.runs(), shop.effects().await), (4, vec![7]));
    hand.stop().await;
    other.stop().await;
}

/// case J06: what failed to the last attempt holds no key: enqueued once more, it runs.
#[tokio::test]
async fn a_job_that_failed_for_good_frees_its_key() {
    let shop = Shop::new().await;
    for _ in 0..2 {
        fails(&shop.invoices, BoxDynError::from("no"));
    }
    let twice = |job: idem_core::apalis::Enqueue<'static>| job.max_attempts(2);
    shop.enqueue_with(INVOICES, Invoice::number(7), twice).await;
    let mut hand = shop.hire(&Pace::default());
    assert_eq!(
        (hand.error().await, hand.error().await),
        ("no".into(), "no".into())
    );
    assert_eq!(shop.job_is("Failed").await.attempts, 2);
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let jobs = shop.jobs_are(&["Failed", "Done"]).await;
    assert_eq!((jobs[0].attempts, jobs[1].attempts), (2, 1));
    assert_eq!((shop.invoices.runs(), shop.effects().await), (3, vec![7]));
    hand.stop().await;
}

/// A final error is recorded, its writes are not; delivered again it is that error again.
#[tokio::test]
async fn a_final_error_kills_the_job_and_is_replayed() {
    let shop = Shop::new().await;
    fails(&shop.charges, ChargeError::Down);
    fails(&shop.charges, ChargeError::Refused { code: 51 });
    shop.enqueue(CHARGES, Invoice::number(7)).await;
    let hand = shop.hire_cashier(&Pace::default());
    let job = shop.job_is("Killed").await;
    assert_eq!(job.attempts, 2);
    assert!(said(&job).contains("Refused { code: 51 }"), "{job:?}");
    // The same operation in a job of its own.
    shop.enqueue(CHARGES, Invoice::number(7)).await;
    let jobs = shop.jobs_are(&["Killed", "Killed"]).await;
    assert_eq!((jobs[1].attempts, said(&jobs[1])), (1, said(&jobs[0])));
    assert_eq!((shop.charges.runs(), shop.effects().await), (2, vec![]));
    hand.stop().await;
}

#[tokio::test]
async fn an_abort_of_the_body_stays_one() {
    let shop = Shop::new().await;
    fails(&shop.invoices, AbortError::new("no such invoice").into());
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let hand = shop.hire(&Pace::default());
    let job = shop.job_is("Killed").await;
    assert_eq!((job.attempts, shop.effects().await), (1, vec![]));
    assert!(said(&job).contains("no such invoice"), "{job:?}");
    hand.stop().await;
}

/// A panic is undone, said, and run again; the worker goes on.
#[tokio::test]
async fn a_panic_fails_the_job_and_not_the_worker() {
    let shop = Shop::new().await;
    shop.invoices.next(|tx| {
        Box::pin(async move {
            write(tx, 99).await?;
            panic!("the test says so")
        })
    });
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let mut hand = shop.hire(&Pace::default());
    assert_eq!(
        hand.error().await,
        "the job panicked and was undone: the test says so"
    );
    assert_eq!(shop.job_is("Done").await.attempts, 2);
    assert_eq!(shop.effects().await, [7]);
    hand.stop().await;
}

/// case J14: an id that starts over with other inputs is an error, not the old one's answer.
#[tokio::test]
async fn another_job_under_the_same_key_is_killed() {
    let shop = Shop::new().await;
    let hand = shop.hire(&Pace::default());
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    shop.job_is("Done").await;
    let other = Invoice {
        number: 7,
        amount: 2,
    };
    shop.enqueue(INVOICES, other).await;
    let jobs = shop.jobs_are(&["Done", "Killed"]).await;
    let killed = jobs.iter().find(|job| job.status == "Killed").unwrap();
    assert!(said(killed).contains("other inputs"), "{killed:?}");
    assert_eq!((killed.attempts, shop.effects().await), (1, vec![7]));
    hand.stop().await;
}

/// What ended its own transaction is not run again.
#[tokio::test]
async fn a_job_that_ends_its_transaction_is_killed() {
    let shop = Shop::new().await;
    shop.invoices.next(|tx| {
        Box::pin(async move {
            write(tx, 99).await?;
            (&mut **tx).execute("COMMIT").await?;
            Ok(7)
        })
    });
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let hand = shop.hire(&Pace::default());
    for attempts in [1, 3] {
        let job = shop.job_is("Killed").await;
        assert!(said(&job).contains("outcome is unknown"), "{job:?}");
        assert_eq!(job.attempts, attempts);
        shop.update_jobs(REDELIVER).await;
    }
    assert_eq!((shop.invoices.runs(), shop.effects().await), (1, vec![99]));
    hand.stop().await;
}

#[tokio::test]
async fn a_worker_without_an_engine_says_so_at_the_first_job() {
    let shop = Shop::new().await;
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let hand = shop.hire_without_engine(&Pace::default());
    let job = shop.job_is("Killed").await;
    assert!(said(&job).contains("with `.data(idem)`"), "{job:?}");
    assert_eq!((job.attempts, shop.invoices.runs()), (1, 0));
    hand.stop().await;
}

/// case J15: apalis runs a job that killed its worker again whatever its limit; idem does not.
#[tokio::test]
async fn a_job_begun_too_often_is_parked() {
    let shop = Shop::new().await;
    let thrice = |job: idem_core::apalis::Enqueue<'static>| job.max_attempts(3);
    shop.enqueue_with(INVOICES, Invoice::number(7), thrice)
        .await;
    // As after three sweeps.
    shop.update_jobs("attempts = 3").await;
    let hand = shop.hire(&Pace::default());
    let job = shop.job_is("Killed").await;
    assert!(said(&job).contains("parked after 3 attempts"), "{job:?}");
    assert_eq!((shop.invoices.runs(), shop.effects().await), (0, vec![]));
    // What the message says to do.
    shop.update_jobs("status = 'Pending', attempts = 0, lock_by = NULL")
        .await;
    assert_eq!(shop.job_is("Done").await.attempts, 1);
    assert_eq!(shop.effects().await, [7]);
    hand.stop().await;
}

/// An engine that drains would otherwise take all of a job's attempts in no time.
#[tokio::test]
async fn a_draining_engine_costs_an_attempt_a_second() {
    let shop = Shop::new().await;
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    assert_eq!(shop.idem.drain(Duration::ZERO).await, 0);
    let began = Instant::now();
    let mut hand = shop.hire(&Pace::default());
    for _ in 0..2 {
        assert!(hand.error().await.contains("shutting down"));
    }
    assert!(began.elapsed() >= Duration::from_secs(2));
    soon("the worker to stop", hand.stop()).await;
    let hand = shop.neighbour().await.hire(&Pace::default());
    let job = shop.job_is("Done").await;
    assert!((3..=5).contains(&job.attempts), "{job:?}");
    assert_eq!(shop.effects().await, [7]);
    hand.stop().await;
}
