//! A job appears with the commit of the operation that enqueued it, or not at all.

use apalis::prelude::BoxDynError;
use axum::http::StatusCode;
use idem_core::apalis::{Enqueue, EnqueueError, Enqueued, enqueue};
use idem_core::{Tx, idempotent};
use idem_test_support::gate::Gate;
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, Executor as _};
use tokio::sync::mpsc;

use super::super::queue;
use super::super::shop::{Shop, write};
use super::super::store::{self, Db};
use super::super::work::{CHARGES, INVOICES, Invoice, Pace};

/// A payment that writes, enqueues, and then ends as `$end` says.
macro_rules! pays {
    (|$tx:ident| $end:expr) => {
        |$tx| {
            Box::pin(async move {
                write($tx, 1).await.unwrap();
                let enqueued = enqueue($tx, INVOICES, &Invoice::number(1)).await.unwrap();
                assert!(enqueued.is_new());
                $end
            })
        }
    };
    ($end:expr) => {
        pays!(|tx| $end)
    };
}

/// case J08: a body that commits late; no worker sees the job before.
#[tokio::test]
async fn the_job_appears_with_the_commit() {
    let shop = Shop::new().await;
    let hand = shop.hire(&Pace::default());
    let gate = Gate::new();
    let held = gate.clone();
    shop.payments.next(pays!({
        held.pass().await;
        Ok(StatusCode::CREATED)
    }));
    let paying = shop.spawn_pay("k1");
    gate.arrived(1).await;
    assert_eq!(shop.jobs().await, []);
    assert_eq!(shop.invoices.runs(), 0);
    gate.open();
    assert_eq!(paying.await.unwrap().status, StatusCode::CREATED);
    assert_eq!(shop.job_is("Done").await.attempts, 1);
    assert_eq!(shop.effects().await, [1, 1]);
    hand.stop().await;
}

/// case J08: a body that fails after it enqueued, in each of the ways it can.
#[tokio::test]
async fn a_body_that_fails_has_enqueued_nothing() {
    let shop = Shop::new().await;
    shop.payments
        .next(pays!(Err(StatusCode::INTERNAL_SERVER_ERROR)));
    shop.payments.next(pays!(panic!("the test says so")));
    // Recorded, with its writes undone.
    shop.payments.next(pays!(Err(StatusCode::PAYMENT_REQUIRED)));
    for (key, status) in [("k1", 500), ("k1", 500), ("k2", 402)] {
        assert_eq!(shop.pay(key).await.status.as_u16(), status);
        assert_eq!((shop.jobs().await, shop.effects().await), (vec![], vec![]));
    }
    shop.payments.next(pays!(Ok(StatusCode::CREATED)));
    for _ in 0..2 {
        assert_eq!(shop.pay("k1").await.status, StatusCode::CREATED);
        assert_eq!(shop.jobs().await.len(), 1);
    }
    assert_eq!(shop.payments.runs(), 4);
}

#[tokio::test]
async fn two_enqueues_in_one_body_are_two_jobs() {
    let shop = Shop::new().await;
    shop.payments.next(pays!(|tx| {
        let again = enqueue(tx, INVOICES, &Invoice::number(1)).await.unwrap();
        assert!(again.is_new());
        Ok(StatusCode::CREATED)
    }));
    let first = shop.pay("k1").await;
    shop.pay("k1").await.assert_replays(&first);
    assert_eq!(shop.jobs_are(&["Pending"; 2]).await.len(), 2);
}

/// An operation of its own that enqueues, and can fail after that.
#[idempotent(key = number)]
async fn bill(tx: &mut Tx<Db>, number: i64, #[ambient] fails: bool) -> Result<(), BoxDynError> {
    enqueue(tx, INVOICES, &Invoice::number(number)).await?;
    match fails {
        true => Err("not today".into()),
        false => Ok(()),
    }
}

/// What joins a payment enqueues with it, and a join that failed has enqueued nothing.
#[tokio::test]
async fn a_joined_operation_enqueues_with_the_one_around_it() {
    let shop = Shop::new().await;
    for ends_well in [false, true] {
        shop.payments.next(move |tx| {
            Box::pin(async move {
                bill(&mut *tx, 1, true).await.unwrap_err();
                // The second of these replays.
                for _ in 0..2 {
                    bill(&mut *tx, 1, false).await.unwrap();
                }
                enqueue(tx, INVOICES, &Invoice::number(2)).await.unwrap();
                match ends_well {
                    true => Ok(StatusCode::CREATED),
                    false => Err(StatusCode::INTERNAL_SERVER_ERROR),
                }
            })
        });
        shop.pay("k1").await;
        assert_eq!(shop.jobs().await.len(), if ends_well { 2 } else { 0 });
    }
}

/// A job's follow-up appears with the success of the job.
#[tokio::test]
async fn a_job_enqueues_its_follow_up_once() {
    let shop = Shop::new().await;
    for fails in [true, false] {
        shop.invoices.next(move |tx| {
            Box::pin(async move {
                enqueue(tx, CHARGES, &Invoice::number(8)).await?;
                match fails {
                    true => Err("not today".into()),
                    false => Ok(7),
                }
            })
        });
    }
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let hand = shop.hire(&Pace::default());
    let cashier = shop.hire_cashier(&Pace::default());
    let mut jobs = shop.jobs_are(&["Done", "Done"]).await;
    jobs.sort_by_key(|job| job.attempts);
    assert_eq!((jobs[0].attempts, jobs[1].attempts), (1, 2));
    assert_eq!((shop.charges.runs(), shop.effects().await), (1, vec![8]));
    hand.stop().await;
    cashier.stop().await;
}

/// An operation that ran yesterday is a new one today, though its job's row is still there.
#[tokio::test]
async fn an_operation_that_expired_enqueues_again() {
    let shop = Shop::with(|builder| builder.cache(0)).await;
    for ran in 1..=2 {
        shop.payments.next(pays!(Ok(StatusCode::CREATED)));
        assert!(!shop.pay("k1").await.is_replay());
        assert_eq!(shop.jobs().await.len(), ran);
        shop.pool.execute(store::EXPIRE).await.unwrap();
    }
}

/// case J07: a job that is there already is named, with its state, and the operation goes on.
#[tokio::test]
async fn a_key_of_ones_own_is_enqueued_once() {
    let shop = Shop::new().await;
    let (sender, mut answers) = mpsc::unbounded_channel();
    for _ in 0..3 {
        let sender = sender.clone();
        shop.payments.next(|tx| {
            Box::pin(async move {
                for _ in 0..2 {
                    let job = Enqueue::new(INVOICES, &Invoice::number(1)).idempotency_key("mine");
                    sender.send(job.through(tx).await.unwrap()).unwrap();
                }
                write(tx, 1).await.unwrap();
                Ok(StatusCode::CREATED)
            })
        });
    }
    let already = |id: &str, status: &str, found: Enqueued| match found {
        Enqueued::Already {
            id: its,
            status: has,
        } => assert_eq!((&*its, &*has), (id, status)),
        other => panic!("{other:?}"),
    };
    assert_eq!(shop.pay("k1").await.status, StatusCode::CREATED);
    let first = answers.recv().await.unwrap();
    assert!(first.is_new());
    already(first.id(), "Pending", answers.recv().await.unwrap());
    // Whatever became of it.
    for (key, status) in [("k2", "Killed"), ("k3", "Done")] {
        shop.update_jobs(&format!("status = '{status}'")).await;
        assert_eq!(shop.pay(key).await.status, StatusCode::CREATED);
        already(first.id(), status, answers.recv().await.unwrap());
        already(first.id(), status, answers.recv().await.unwrap());
    }
    assert_eq!(shop.jobs().await.len(), 1);
    assert_eq!(shop.effects().await, [1, 1, 1]);
}

/// Who comes second waits for the first to end, and enqueues if that fails.
#[tokio::test]
async fn two_operations_with_one_key_of_their_own_leave_one_job() {
    for commits in [true, false] {
        let shop = Shop::new().await;
        let gate = Gate::new();
        let (sender, mut answers) = mpsc::unbounded_channel();
        let mine = || Enqueue::new(INVOICES, &Invoice::number(1)).idempotency_key("mine");
        let held = gate.clone();
        shop.payments.next(move |tx| {
            Box::pin(async move {
                assert!(mine().through(tx).await.unwrap().is_new());
                held.pass().await;
                match commits {
                    true => Ok(StatusCode::CREATED),
                    false => Err(StatusCode::INTERNAL_SERVER_ERROR),
                }
            })
        });
        let first = shop.spawn_pay("k1");
        gate.arrived(1).await;
        shop.payments.next(move |tx| {
            Box::pin(async move {
                sender.send(mine().through(tx).await.unwrap()).unwrap();
                Ok(StatusCode::CREATED)
            })
        });
        let second = shop.spawn_pay("k2");
        gate.open();
        assert_eq!(first.await.unwrap().status == StatusCode::CREATED, commits);
        assert_eq!(second.await.unwrap().status, StatusCode::CREATED);
        assert_eq!(answers.recv().await.unwrap().is_new(), !commits);
        assert_eq!(shop.jobs().await.len(), 1);
    }
}

#[derive(Serialize, Deserialize)]
struct Measured {
    value: f64,
}

/// A row that a worker cannot read would kill it, and the next one.
#[tokio::test]
async fn a_job_that_cannot_be_read_again_is_refused() {
    let shop = Shop::new().await;
    shop.payments.next(|tx| {
        Box::pin(async move {
            let lost = enqueue(tx, INVOICES, &Measured { value: f64::NAN }).await;
            assert!(matches!(lost, Err(EnqueueError::Job(_))), "{lost:?}");
            write(tx, 1).await.unwrap();
            Ok(StatusCode::CREATED)
        })
    });
    assert_eq!(shop.pay("k1").await.status, StatusCode::CREATED);
    assert_eq!((shop.jobs().await, shop.effects().await), (vec![], vec![1]));
}

#[tokio::test]
async fn a_table_that_is_missing_or_old_is_said_to_be() {
    let missing = Shop::without_jobs(|builder| builder).await;
    let old = Shop::new().await;
    for sql in [
        "DROP INDEX {schema}idx_jobs_idempotency_key",
        "ALTER TABLE {jobs} DROP COLUMN idempotency_key",
    ] {
        let schema = queue::JOBS.trim_end_matches(|one| one != '.');
        let sql = sql
            .replace("{schema}", schema)
            .replace("{jobs}", queue::JOBS);
        old.pool.execute(AssertSqlSafe(sql)).await.unwrap();
        for shop in [&missing, &old] {
            shop.payments.next(|tx| {
                Box::pin(async move {
                    let refused = enqueue(tx, INVOICES, &Invoice::number(1)).await;
                    let error = refused.unwrap_err();
                    assert!(matches!(error, EnqueueError::NotReady(_)), "{error:?}");
                    assert!(error.to_string().contains("job table is missing"));
                    Err(StatusCode::INTERNAL_SERVER_ERROR)
                })
            });
            assert_eq!(shop.pay("k1").await.status.as_u16(), 500);
        }
    }
    assert_eq!(missing.payments.runs() + old.payments.runs(), 4);
}
