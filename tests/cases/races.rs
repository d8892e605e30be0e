//! Races within one process and between two engines on one database.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use futures::future::join_all;
use idem_test_support::gate::Gate;
use idem_test_support::http::{Answer, send};

use super::app::App;
use super::stage::{Plan, Step, post, post_as};
use super::store::EXPIRE;

/// Sends copies of one request and collects their answers.
async fn copies(app: &App, count: usize, key: &str) -> Vec<Answer> {
    let copies = (0..count).map(|_| app.spawn_post(key, 1));
    join_all(copies)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

/// All are one answer, and at most one of them is the first.
fn assert_one_answer(answers: &[Answer]) {
    for answer in answers {
        assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
        answer.assert_same_as(&answers[0]);
    }
    assert_eq!(
        answers.iter().filter(|answer| !answer.is_replay()).count(),
        1
    );
}

/// case L01
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_copies_one_runs() {
    let app = App::new().await;
    assert_one_answer(&copies(&app, 64, "k1").await);
    assert_eq!(
        (
            app.effects().await,
            app.records().await,
            app.script.runs.count()
        ),
        (1, 1, 1)
    );
}

/// case L01, case L02: two engines share nothing but the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_32_copies_at_each_of_two_engines_one_runs() {
    let app = App::new().await;
    let neighbour = app.neighbour(|builder| builder).await;
    for round in 0..10 {
        let key = format!("k{round}");
        let there = (0..32).map(|_| {
            let (router, request) = (neighbour.clone(), post("/op", &key, 1));
            tokio::spawn(async move { send(&router, request).await })
        });
        let there = join_all(there.collect::<Vec<_>>());
        let (here, there) = tokio::join!(copies(&app, 32, &key), there);
        let all: Vec<_> = here
            .into_iter()
            .chain(there.into_iter().map(Result::unwrap))
            .collect();
        assert_one_answer(&all);
    }
    assert_eq!((app.effects().await, app.script.runs.count()), (10, 10));
}

/// case L09: only a committed answer is one. The first fails or panics while copies wait: exactly
/// one of them runs next, and the others get its answer.
#[tokio::test]
async fn after_a_failure_exactly_one_waiting_copy_runs() {
    for fails in [
        Plan::ok(503),
        Plan::err(500),
        Plan::ok(201).steps([Step::Panic]),
    ] {
        let app = App::new().await;
        let gate = Gate::new();
        let mut steps = vec![Step::Write, Step::Pass(gate.clone())];
        steps.extend(fails.steps.clone());
        app.script.next(fails.steps(steps));
        let first = app.spawn_post("k1", 1);
        gate.arrived(1).await;
        let waiting: Vec<_> = (0..20).map(|_| app.spawn_post("k1", 1)).collect();
        tokio::task::yield_now().await;
        gate.open();
        assert!(first.await.unwrap().status.is_server_error());
        let answers: Vec<_> = join_all(waiting)
            .await
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_one_answer(&answers);
        assert_eq!((app.effects().await, app.script.runs.count()), (1, 2));
    }
}

/// case X05's neighbour: a copy with other inputs is refused at once, not after `wait`.
#[tokio::test]
async fn other_inputs_are_refused_while_the_first_runs() {
    let app = App::with(20, |builder| builder.wait(Duration::from_secs(600))).await;
    let gate = Gate::new();
    app.script
        .next(Plan::default().steps([Step::Write, Step::Pass(gate.clone())]));
    let first = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    let refused = app.post("k1", 2).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    gate.open();
    assert_eq!(first.await.unwrap().status, StatusCode::CREATED);
}

#[tokio::test]
async fn a_copy_that_waited_in_vain_is_told_to_come_back() {
    let app = App::with(20, |builder| builder.wait(Duration::ZERO)).await;
    let gate = Gate::new();
    app.script
        .next(Plan::default().steps([Step::Write, Step::Pass(gate.clone())]));
    let first = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    let told = app.post("k1", 1).await;
    assert_eq!(told.status, StatusCode::CONFLICT);
    assert_eq!(
        told.problem_type().as_deref(),
        Some("urn:idem:error:in-flight")
    );
    assert_eq!(told.header("retry-after"), Some("1"));
    gate.open();
    let first = first.await.unwrap();
    app.post("k1", 1).await.assert_replays(&first);
}

/// Waiting copies hold no connection: a pool of 5 serves strangers while 50 copies wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn waiting_copies_hold_no_connection() {
    let app = App::with(5, |builder| builder.wait(Duration::from_secs(600))).await;
    let gate = Gate::new();
    // It writes nothing before the gate, so that on SQLite too only the waiting could be in the way.
    app.script
        .next(Plan::default().steps([Step::Pass(gate.clone()), Step::Write]));
    let first = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    let waiting: Vec<_> = (0..50).map(|_| app.spawn_post("k1", 1)).collect();
    let began = Instant::now();
    let unrelated = (0..10).map(|_| async {
        let answer: i64 = sqlx::query_scalar("SELECT count(*) FROM effect")
            .fetch_one(&app.pool)
            .await
            .unwrap();
        answer
    });
    idem_test_support::patience::soon("ten unrelated requests", join_all(unrelated)).await;
    // They would wait for the pool's 30 seconds if copies had taken its connections.
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(app.pool.size() <= 5 && waiting.iter().all(|copy| !copy.is_finished()));
    gate.open();
    let mut answers = vec![first.await.unwrap()];
    answers.extend(join_all(waiting).await.into_iter().map(Result::unwrap));
    assert_one_answer(&answers);
}

/// case T02: one of 50 racers runs an expired operation again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_50_racers_for_an_expired_key_one_runs() {
    let app = App::with(20, |builder| builder.cache(0)).await;
    app.post("k1", 1).await;
    sqlx::query(EXPIRE).execute(&app.pool).await.unwrap();
    assert_one_answer(&copies(&app, 50, "k1").await);
    assert_eq!((app.effects().await, app.records().await), (2, 1));
}

/// A waiting copy whose client hangs up hands its place on.
#[tokio::test]
async fn dropped_waiting_copies_block_nobody() {
    let app = App::new().await;
    let gate = Gate::new();
    app.script
        .next(Plan::err(503).steps([Step::Pass(gate.clone())]));
    let first = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    let waiting: Vec<_> = (0..5).map(|_| app.spawn_post("k1", 1)).collect();
    tokio::task::yield_now().await;
    for copy in &waiting[..3] {
        copy.abort();
    }
    gate.open();
    assert_eq!(first.await.unwrap().status, StatusCode::SERVICE_UNAVAILABLE);
    for copy in waiting.into_iter().skip(3) {
        assert_eq!(copy.await.unwrap().status, StatusCode::CREATED);
    }
    assert_eq!(app.effects().await, 1);
}

/// Equal inputs are never called other ones, however sessions meet: 100,000 calls, 16 sessions on
/// two engines, few keys, and some attempts that fail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_inputs_are_never_a_mismatch() {
    let app = App::with(8, |builder| builder.cache(64 << 10)).await;
    let routers = [
        app.router.clone(),
        app.neighbour(|builder| builder.cache(0)).await,
    ];
    let calls = 100_000 / 16;
    let sessions = (0..16).map(|session| {
        let router = routers[session % 2].clone();
        tokio::spawn(async move {
            for call in 0..calls {
                // Sessions walk the same keys in step, so most calls meet others.
                let key = format!("k{}", call / 4);
                let answer = send(&router, post_as("t1", "/op", &key, 1)).await;
                assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
            }
        })
    });
    for session in sessions.collect::<Vec<_>>() {
        session.await.unwrap();
    }
    let keys = i64::from(calls).div_euclid(4) + 1;
    assert_eq!(app.effects().await, app.records().await);
    assert!(app.records().await <= keys);
}
