//! SQLite's writer, journal and in-memory databases.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use futures::future::join_all;
use idem_core::{Error, Idem};
use idem_test_support::gate::Gate;
use idem_test_support::patience::soon;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use sqlx::{Connection as _, Executor as _, SqliteConnection};

use super::app::App;
use super::stage::{Plan, Step, post};
use super::store::Files;

/// 16 writers run in the order in which they came, one at a time.
#[tokio::test]
async fn writers_queue_in_order() {
    let app = App::new().await;
    let gate = Gate::new();
    for _ in 0..17 {
        app.script
            .next(Plan::default().steps([Step::Write, Step::Pass(gate.clone())]));
    }
    let mut calls = vec![app.spawn_post("k0", 1)];
    gate.arrived(1).await;
    for number in 1..17 {
        calls.push(app.spawn_post(&format!("k{number}"), 1));
        // Each is in the queue before the next sets out: it has looked for a replay, and given that
        // connection back. The one that runs has the other.
        let has_looked = async {
            loop {
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                if app.pool.size() as usize - app.pool.num_idle() == 1 {
                    return;
                }
            }
        };
        soon("its look-up", has_looked).await;
    }
    for turn in 1..=17 {
        gate.arrived(turn).await;
        // Nobody else is inside while one is.
        assert_eq!((gate.arrivals(), app.script.runs.count()), (turn, turn));
        gate.admit(1);
        let answer = soon("its turn", calls.remove(0)).await.unwrap();
        assert_eq!(answer.text(), format!("run {turn}"));
    }
}

/// case L15: foreign writers, and bodies that read first: no `database is locked`.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_beside_the_engine_break_nothing() {
    let app = App::new().await;
    let foreign = app.files.pool(4).await;
    let beside = (0..4).map(|_| {
        let foreign = foreign.clone();
        tokio::spawn(async move {
            for _ in 0..50 {
                let mut transaction = foreign.begin_with("BEGIN IMMEDIATE").await.unwrap();
                transaction
                    .execute("INSERT INTO effect (run) VALUES (-1)")
                    .await
                    .unwrap();
                transaction.commit().await.unwrap();
            }
        })
    });
    let beside = beside.collect::<Vec<_>>();
    let reads_first = [Step::Sql("SELECT count(*) FROM effect"), Step::Write];
    let calls = (0..20).flat_map(|number| {
        (0..3)
            .map(move |_| format!("k{number}"))
            .collect::<Vec<_>>()
    });
    for _ in 0..20 {
        app.script.next(Plan::default().steps(reads_first.clone()));
    }
    let calls = calls.map(|key| app.spawn_post(&key, 1)).collect::<Vec<_>>();
    for call in join_all(calls).await {
        let answer = call.unwrap();
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    }
    join_all(beside).await;
    assert_eq!((app.effects().await, app.records().await), (220, 20));
}

/// Another process holds the write lock: a claim gives up after `wait`, whatever the connection's
/// own busy timeout; a replay needs no lock; and the busy timeout is the user's again afterwards.
#[tokio::test]
async fn a_locked_database_is_unavailable_after_wait() {
    let app = App::with(3, |builder| {
        builder.wait(Duration::from_millis(300)).cache(0)
    })
    .await;
    let done = app.post("k0", 1).await;
    let options = app.files.0.options();
    let mut foreign = SqliteConnection::connect_with(&options).await.unwrap();
    let lock = foreign.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let began = Instant::now();
    let refused = soon("the wait", app.post("k1", 1)).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), Some("1"));
    // The connection's own busy timeout is 5 seconds.
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    app.post("k0", 1).await.assert_replays(&done);
    lock.rollback().await.unwrap();
    assert_eq!(app.post("k1", 1).await.status, StatusCode::CREATED);
    for _ in 0..3 {
        let busy: i64 = sqlx::query_scalar("PRAGMA busy_timeout")
            .fetch_one(&app.pool)
            .await
            .unwrap();
        assert_eq!(busy, 5000);
    }
}

/// While another process runs the very operation, its answer is found as soon as it is there.
#[tokio::test]
async fn a_locked_database_is_waited_for_up_to_wait() {
    let app = App::with(3, |builder| builder.wait(Duration::from_secs(600))).await;
    let neighbour = app.neighbour(|builder| builder).await;
    let gate = Gate::new();
    app.script
        .next(Plan::default().steps([Step::Write, Step::Pass(gate.clone())]));
    let here = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    let there = tokio::spawn(async move {
        idem_test_support::http::send(&neighbour, post("/op", "k1", 1)).await
    });
    app.settled().await;
    gate.open();
    let first = here.await.unwrap();
    soon("the neighbour", there)
        .await
        .unwrap()
        .assert_replays(&first);
}

/// A database in memory works on a pool of exactly one connection.
#[tokio::test]
async fn a_database_in_memory_needs_a_pool_of_one() {
    for url in [
        "sqlite::memory:",
        "sqlite://:memory:",
        "sqlite://shared?mode=memory&cache=shared",
        "sqlite://file:a?mode=memory",
    ] {
        let pool = SqlitePoolOptions::new()
            .max_connections(2)
            .connect_lazy(url)
            .unwrap();
        let refused = Idem::new(pool).unwrap_err();
        assert!(matches!(refused, Error::NotReady { .. }), "{url}");
        assert!(
            refused.to_string().contains("max_connections(1)"),
            "{refused}"
        );
    }
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .connect("sqlite::memory:")
        .await
        .unwrap();
    let idem = Idem::builder(pool.clone()).cache(0).build().unwrap();
    idem.setup().await.unwrap();
    pool.execute("CREATE TABLE effect (run BIGINT NOT NULL)")
        .await
        .unwrap();
    let app = App::on(Files::new().await, pool.clone(), idem);
    app.script
        .next(Plan::err(402))
        .next(Plan::default().steps([Step::Write, Step::Panic]));
    app.script
        .next(Plan::default().steps([Step::Write, Step::Sql("COMMIT")]));
    let mut answers = Vec::new();
    for key in ["declined", "panicked", "ended", "paid"] {
        answers.push(app.post(key, 1).await.status.as_u16());
    }
    assert_eq!(answers, [402, 500, 500, 201]);
    let calls = (0..20).map(|number| app.spawn_post(&format!("k{}", number / 2), 1));
    for call in soon("20 calls", join_all(calls.collect::<Vec<_>>())).await {
        assert_eq!(call.unwrap().status, StatusCode::CREATED);
    }
    let effects: i64 = sqlx::query_scalar("SELECT count(*) FROM effect")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(effects, 12);
}

#[tokio::test]
async fn a_shared_cache_is_refused() {
    let options = SqliteConnectOptions::new()
        .filename("shared.sqlite")
        .shared_cache(true);
    let pool = SqlitePoolOptions::new()
        .max_connections(2)
        .connect_lazy_with(options);
    assert!(matches!(Idem::new(pool), Err(Error::NotReady { .. })));
}

/// A file without a write-ahead log is refused, and the error says how to turn it on.
#[tokio::test]
async fn a_rollback_journal_is_refused() {
    let files = Files::new().await;
    let options = files.0.options().journal_mode(SqliteJournalMode::Delete);
    let pool = SqlitePoolOptions::new()
        .connect_with(options)
        .await
        .unwrap();
    let refused = Idem::new(pool).unwrap().setup().await.unwrap_err();
    assert!(
        refused.to_string().contains("SqliteJournalMode::Wal"),
        "{refused}"
    );
}

/// SQLite rolls back by itself on some failures; that is an ended transaction like any other.
#[tokio::test]
async fn a_statement_that_rolls_back_is_an_unknown_outcome() {
    let app = App::new().await;
    app.pool
        .execute("CREATE UNIQUE INDEX effect_run ON effect (run)")
        .await
        .unwrap();
    app.script.next(Plan::default().steps([
        Step::Write,
        Step::Ignored("INSERT OR ROLLBACK INTO effect (run) VALUES (1)"),
    ]));
    let first = app.post("k1", 1).await;
    assert_eq!(
        first.problem_type().as_deref(),
        Some("urn:idem:error:transaction-ended")
    );
    assert_eq!(app.effects().await, 0);
    app.post("k1", 1).await.assert_replays(&first);
}

/// case L07: a failed statement undoes itself only, so a body may handle its own failure.
#[tokio::test]
async fn a_failed_statement_is_the_bodys_to_handle() {
    let app = App::new().await;
    app.pool
        .execute("CREATE UNIQUE INDEX effect_run ON effect (run)")
        .await
        .unwrap();
    app.script.next(Plan::default().steps([
        Step::Write,
        Step::Ignored("INSERT INTO effect (run) VALUES (1)"),
    ]));
    assert_eq!(app.post("k1", 1).await.status, StatusCode::CREATED);
    assert_eq!((app.effects().await, app.records().await), (1, 1));
}

/// A final error is recorded in a second transaction, which waits for the lock as long as a claim.
#[tokio::test]
async fn a_final_error_waits_for_the_lock() {
    let app = App::with(3, |builder| builder.wait(Duration::from_secs(600)).cache(0)).await;
    let options = app.files.0.options().busy_timeout(Duration::from_secs(30));
    let mut foreign = SqliteConnection::connect_with(&options).await.unwrap();
    let gate = Gate::new();
    app.script
        .next(Plan::err(402).steps([Step::Write, Step::Pass(gate.clone())]));
    let call = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    // It queues for the lock in SQLite itself, and gets it between the two transactions or after.
    let (let_go, held) = tokio::sync::oneshot::channel::<()>();
    let rival = tokio::spawn(async move {
        let lock = foreign.begin_with("BEGIN IMMEDIATE").await.unwrap();
        held.await.unwrap();
        lock.rollback().await.unwrap();
    });
    app.settled().await;
    gate.open();
    app.settled().await;
    let_go.send(()).unwrap();
    let answer = soon("the final error", call).await.unwrap();
    assert_eq!(
        answer.status,
        StatusCode::PAYMENT_REQUIRED,
        "{}",
        answer.text()
    );
    rival.await.unwrap();
    assert_eq!((app.effects().await, app.records().await), (0, 1));
}

/// A COMMIT that nobody waited for leaves nothing behind on its connection.
#[tokio::test]
async fn a_slow_commit_does_not_poison_its_connection() {
    let app = App::with(1, |builder| builder.cache(0)).await;
    let (go_on, slow) = std::sync::mpsc::channel::<()>();
    let slow = std::sync::Mutex::new(Some(slow));
    // A disk that takes its time, until the test says so.
    let mut connection = app.pool.acquire().await.unwrap();
    connection
        .lock_handle()
        .await
        .unwrap()
        .set_commit_hook(move || {
            if let Some(slow) = slow.lock().unwrap().take() {
                slow.recv().unwrap();
            }
            true
        });
    drop(connection);
    let first = soon("the timeout of a second", app.send(post("/brief", "k1", 1))).await;
    assert_eq!(first.status, StatusCode::SERVICE_UNAVAILABLE);
    go_on.send(()).unwrap();
    // A user of the pool gives up its own transaction there.
    let mut own = app.pool.begin().await.unwrap();
    own.execute("INSERT INTO effect (run) VALUES (-1)")
        .await
        .unwrap();
    drop(own);
    // Another process can write at once, and the operation is what its COMMIT made of it.
    let options = app.files.0.options().busy_timeout(Duration::ZERO);
    drop(app.pool.acquire().await.unwrap());
    let mut other = SqliteConnection::connect_with(&options).await.unwrap();
    other
        .execute("DELETE FROM effect WHERE run = -1")
        .await
        .unwrap();
    let again = app.send(post("/brief", "k1", 1)).await;
    assert_eq!(again.status, StatusCode::CREATED, "{}", again.text());
    assert_eq!((app.effects().await, app.records().await), (1, 1));
}
