//! What only a server does: it dies, tells of new jobs, and lets others write beside a body.

use std::time::Duration;

use apalis::prelude::BoxDynError;
use axum::http::StatusCode;
use idem_core::apalis::{Enqueue, EnqueueError, enqueue};
use idem_core::{Idem, Tx, idempotent};
use idem_test_support::gate::Gate;
use idem_test_support::patience::soon;
use idem_test_support::postgres::Server;
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, Executor as _};

use super::shop::{Shop, write};
use super::store::{Db, Files};
use super::work::{HASTY, INVOICES, Invoice, Pace};

/// apalis' worker dies of it; the next one runs the job, which was undone.
#[tokio::test]
async fn a_job_undone_by_a_killed_server_runs_again() {
    let server = Server::private().await;
    let shop = Shop::on(Files(server.database().await), |builder| builder).await;
    super::queue::create_tables(&shop.pool).await;
    let gate = Gate::new();
    let held = gate.clone();
    shop.invoices.next(|tx| {
        Box::pin(async move {
            write(tx, 7).await?;
            held.pass().await;
            Ok(7)
        })
    });
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let hand = shop.hire(&Pace::default());
    gate.arrived(1).await;
    shop.job_is("Running").await;
    server.kill9().await;
    let error = hand.died().await;
    assert!(
        error.to_string().contains("Failed to poll backend"),
        "{error}"
    );
    server.restart().await;
    assert!(shop.effects().await.is_empty());
    let hand = shop.hire(&Pace::sweeping());
    assert_eq!(shop.job_is("Done").await.attempts, 2);
    assert_eq!((shop.invoices.runs(), shop.effects().await), (2, vec![7]));
    hand.stop().await;
}

/// Workers that listen are told of a job at its commit, however long that took; of one whose time
/// has not come they are not.
#[tokio::test]
async fn listeners_hear_of_a_job_at_its_commit() {
    let shop = Shop::new().await;
    let mut listener = sqlx::postgres::PgListener::connect_with(&shop.pool)
        .await
        .unwrap();
    listener.listen("apalis::job::insert").await.unwrap();
    let gate = Gate::new();
    let held = gate.clone();
    shop.payments.next(move |tx| {
        Box::pin(async move {
            // By then `now()` is more than a second ago, apalis' unit of time.
            let late = "SELECT pg_sleep(1.1)";
            sqlx::raw_sql(late).execute(&mut **tx).await.unwrap();
            Enqueue::new(INVOICES, &Invoice::number(1))
                .run_after(Duration::from_secs(60))
                .through(tx)
                .await
                .unwrap();
            enqueue(tx, INVOICES, &Invoice::number(2)).await.unwrap();
            held.pass().await;
            Ok(StatusCode::CREATED)
        })
    });
    let paying = shop.spawn_pay("k1");
    gate.arrived(1).await;
    // Of another transaction, and the first to be heard of.
    let other = shop.enqueue(INVOICES, Invoice::number(3)).await;
    gate.open();
    assert_eq!(paying.await.unwrap().status, StatusCode::CREATED);
    let mut heard = Vec::new();
    for _ in 0..2 {
        let told = soon("a notification", listener.recv()).await.unwrap();
        heard.push(told.payload().to_owned());
    }
    assert!(heard[0].contains(&other), "{heard:?}");
    let later = "SELECT id FROM apalis.jobs WHERE run_at > now() + interval '30 s'";
    let later: String = sqlx::query_scalar(later)
        .fetch_one(&shop.pool)
        .await
        .unwrap();
    assert!(!heard[1].contains(&later), "{heard:?}");
}

/// A running attempt in another process: the job comes back, and runs when that has failed.
#[tokio::test]
async fn a_job_in_flight_elsewhere_runs_later() {
    let shop = Shop::new().await;
    let gate = Gate::new();
    let held = gate.clone();
    shop.invoices.next(|_| {
        Box::pin(async move {
            held.pass().await;
            Err(BoxDynError::from("no"))
        })
    });
    shop.enqueue(HASTY, Invoice::number(7)).await;
    let first = shop.hire_hasty(&Pace::one_by_one());
    gate.arrived(1).await;
    shop.enqueue(HASTY, Invoice::number(7)).await;
    let mut second = shop.neighbour().await.hire_hasty(&Pace::default());
    assert!(second.error().await.contains("still running"));
    gate.open();
    let jobs = shop.jobs_are(&["Done", "Done"]).await;
    assert!(
        jobs.iter().all(|job| (2..=4).contains(&job.attempts)),
        "{jobs:?}"
    );
    assert_eq!((shop.invoices.runs(), shop.effects().await), (2, vec![7]));
    first.stop().await;
    second.stop().await;
}

#[idempotent(key = number)]
async fn bill(tx: &mut Tx<Db>, number: i64) -> Result<(), BoxDynError> {
    enqueue(tx, INVOICES, &Invoice::number(number)).await?;
    Ok(())
}

/// What the docs say a role needs is what it needs.
#[tokio::test]
async fn a_role_needs_usage_select_and_insert() {
    let shop = Shop::new().await;
    // Roles belong to the whole server.
    let role = format!("clerk_of_{}", shop.files.0.name());
    let run = |sql: String| shop.pool.execute(AssertSqlSafe(sql));
    run(format!("CREATE ROLE {role}")).await.unwrap();
    run(format!(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON idem_record TO {role}"
    ))
    .await
    .unwrap();
    let set = format!("SET ROLE {role}");
    let pool = PgPoolOptions::new()
        .after_connect(move |connection, _| {
            let set = set.clone();
            Box::pin(async move { connection.execute(AssertSqlSafe(set)).await.map(drop) })
        })
        .connect_with(shop.files.0.options())
        .await
        .unwrap();
    let idem = Idem::new(pool).unwrap();
    for right in [
        "USAGE ON SCHEMA apalis",
        "SELECT ON apalis.jobs",
        "INSERT ON apalis.jobs",
    ] {
        let refused = bill(&idem, 1).await.unwrap_err();
        let refused = refused.downcast_ref::<EnqueueError>();
        assert!(
            matches!(refused, Some(EnqueueError::NotReady(_))),
            "{refused:?}"
        );
        run(format!("GRANT {right} TO {role}")).await.unwrap();
    }
    bill(&idem, 1).await.unwrap();
    assert_eq!(shop.jobs().await.len(), 1);
    run(format!("DROP OWNED BY {role}; DROP ROLE {role}"))
        .await
        .unwrap();
}
