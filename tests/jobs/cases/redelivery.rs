//! A job delivered again while it runs, and by several workers at once.

use std::sync::mpsc;
use std::time::Duration;

use apalis::prelude::BoxDynError;
use idem_test_support::gate::Gate;
use idem_test_support::patience::soon;
use sqlx::{AssertSqlSafe, Executor as _};
use tokio::sync::oneshot;

use super::super::queue;
use super::super::shop::{Shop, write};
use super::super::work::{HASTY, INVOICES, Invoice, Pace};

/// case J04: copies that arrive while the first runs wait for it, and none costs an attempt.
#[tokio::test]
async fn copies_wait_for_the_first_and_use_up_no_attempts() {
    let shop = Shop::new().await;
    let gate = Gate::new();
    let held = gate.clone();
    shop.invoices.next(|tx| {
        Box::pin(async move {
            held.pass().await;
            write(tx, 7).await?;
            Ok(7)
        })
    });
    for _ in 0..9 {
        shop.enqueue(INVOICES, Invoice::number(7)).await;
    }
    let hands = [(); 3].map(|()| {
        shop.hire(&Pace {
            batch: 3,
            ..Pace::default()
        })
    });
    gate.arrived(1).await;
    if queue::WRITES_BESIDE_A_BODY {
        shop.jobs_are(&["Running"; 9]).await;
    }
    gate.open();
    let jobs = shop.jobs_are(&["Done"; 9]).await;
    assert!(jobs.iter().all(|job| job.attempts == 1), "{jobs:?}");
    assert_eq!((shop.invoices.runs(), shop.effects().await), (1, vec![7]));
    for hand in hands {
        hand.stop().await;
    }
}

/// Waits until a job of a worker that lives was swept, which counts an attempt, and fetched again;
/// on SQLite nothing can be swept beside a body, so it comes after that.
async fn swept(shop: &Shop) {
    if !queue::WRITES_BESIDE_A_BODY {
        return;
    }
    let swept = async {
        loop {
            let job = &shop.jobs().await[0];
            if (&*job.status, job.attempts) == ("Running", 1) {
                return;
            }
            // Nothing tells of a change of a row.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    soon("the job to be swept", swept).await;
}

/// case J04: an orphan timeout shorter than the job.
async fn a_job_swept_from_its_worker(fails: bool) {
    let shop = Shop::new().await;
    let gate = Gate::new();
    let held = gate.clone();
    shop.invoices.next(move |tx| {
        Box::pin(async move {
            write(tx, 7).await?;
            held.pass().await;
            match fails {
                true => Err(BoxDynError::from("no")),
                false => Ok(7),
            }
        })
    });
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let first = shop.hire(&Pace::default());
    gate.arrived(1).await;
    let second = shop.neighbour().await.hire(&Pace::sweeping());
    swept(&shop).await;
    gate.open();
    assert_done_once(&shop, if fails { 2 } else { 1 }).await;
    first.stop().await;
    second.stop().await;
}

async fn assert_done_once(shop: &Shop, runs: usize) {
    let job = shop.job_is("Done").await;
    // The sweep's, the second worker's, and that of a first one that failed.
    assert!((1..=3).contains(&job.attempts), "{job:?}");
    assert_eq!(
        (shop.invoices.runs(), shop.effects().await),
        (runs, vec![7])
    );
}

/// case J05: a body that blocks its worker's only thread, so that no heartbeat is sent.
#[tokio::test]
async fn a_job_of_a_stalled_worker_is_done_once() {
    let shop = Shop::new().await;
    let (started, has_started) = oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    shop.invoices.next(move |tx| {
        Box::pin(async move {
            write(tx, 7).await?;
            started.send(()).unwrap();
            released.recv()?;
            Ok(7)
        })
    });
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let there = shop.neighbour().await;
    let (go_home, may_go_home) = oneshot::channel::<()>();
    let stalled = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let hand = there.neighbour().await.hire(&Pace::sweeping());
            may_go_home.await.unwrap();
            hand.stop().await;
        });
    });
    soon("the job to start", has_started).await.unwrap();
    let second = shop.hire(&Pace::sweeping());
    swept(&shop).await;
    release.send(()).unwrap();
    assert_done_once(&shop, 1).await;
    go_home.send(()).unwrap();
    let ended = tokio::task::spawn_blocking(|| stalled.join());
    soon("the stalled worker", ended).await.unwrap().unwrap();
    second.stop().await;
}

#[tokio::test]
async fn a_job_swept_while_it_runs_is_done_once() {
    a_job_swept_from_its_worker(false).await;
}

#[tokio::test]
async fn a_job_swept_while_it_runs_and_then_fails_runs_again() {
    a_job_swept_from_its_worker(true).await;
}

/// Two workers on many jobs, each delivered twice.
#[tokio::test]
async fn two_workers_run_each_job_once() {
    let shop = Shop::new().await;
    for number in (0..20).chain(0..20) {
        shop.enqueue(INVOICES, Invoice::number(number)).await;
    }
    let hands = [
        shop.hire(&Pace::default()),
        shop.neighbour().await.hire(&Pace::default()),
    ];
    let jobs = shop.jobs_are(&["Done"; 40]).await;
    assert!(jobs.iter().all(|job| job.attempts == 1), "{jobs:?}");
    assert_eq!(shop.effects().await, Vec::from_iter(0..20));
    assert_eq!(shop.invoices.runs(), 20);
    for hand in hands {
        hand.stop().await;
    }
}

/// Answered `InFlight`, a job comes back, and runs when the first has failed.
#[tokio::test]
async fn a_job_answered_in_flight_runs_later() {
    let shop = Shop::new().await;
    let gate = Gate::new();
    let held = gate.clone();
    shop.invoices.next(|_| {
        Box::pin(async move {
            held.pass().await;
            Err(BoxDynError::from("no"))
        })
    });
    for _ in 0..2 {
        shop.enqueue(HASTY, Invoice::number(7)).await;
    }
    let mut hand = shop.hire_hasty(&Pace::default());
    gate.arrived(1).await;
    assert!(hand.error().await.contains("still running"));
    gate.open();
    let jobs = shop.jobs_are(&["Done", "Done"]).await;
    assert!(jobs.iter().all(|job| (2..=3).contains(&job.attempts)));
    assert_eq!((shop.invoices.runs(), shop.effects().await), (2, vec![7]));
    hand.stop().await;
}

/// case J03: heartbeats and sweeps leave rows that refer to jobs alone.
/// case J10: what no worker was there for is handed over once there is one.
#[tokio::test]
async fn jobs_wait_for_a_worker_and_keep_what_refers_to_them() {
    let shop = Shop::new().await;
    let sql = format!(
        "CREATE TABLE sent (job TEXT NOT NULL REFERENCES {} (id) ON DELETE CASCADE)",
        queue::JOBS
    );
    shop.pool.execute(AssertSqlSafe(sql)).await.unwrap();
    let id = shop.enqueue(INVOICES, Invoice::number(7)).await;
    sqlx::query("INSERT INTO sent (job) VALUES ($1)")
        .bind(&id)
        .execute(&shop.pool)
        .await
        .unwrap();
    // Gone before it acknowledged, and swept.
    let gate = Gate::new();
    let held = gate.clone();
    shop.invoices.next(|_| {
        Box::pin(async move {
            held.pass().await;
            Ok(7)
        })
    });
    let gone = shop.hire(&Pace::default());
    gate.arrived(1).await;
    drop(gone);
    let hand = shop.hire(&Pace::sweeping());
    let job = shop.job_is("Done").await;
    assert_eq!((job.id, job.attempts), (id, 2));
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM sent")
        .fetch_one(&shop.pool)
        .await
        .unwrap();
    assert_eq!((kept, shop.effects().await), (1, vec![7]));
    hand.stop().await;
}
