//! Endings: the table of recorded answers, panics, timeouts, ended transactions, memo limits.

use std::time::Duration;

use axum::http::StatusCode;
use futures::future::join_all;
use idem_test_support::gate::Gate;
use idem_test_support::http::Answer;
use idem_test_support::patience::soon;

use super::app::{App, OP};
use super::stage::{Plan, Reply, Step, post};

/// What an ending leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Effect and record.
    Committed,
    /// A record, no effect.
    Recorded,
    /// Nothing.
    Nothing,
}

/// Sends `plan` to `path` under a fresh key, says what it left, and proves it by a second attempt.
async fn left(app: &App, path: &str, key: &str, plan: Plan) -> Left {
    let before = (app.effects().await, app.records().await);
    app.script.next(plan.clone());
    let first = app.send(post(path, key, 1)).await;
    assert_eq!(first.status, plan.status, "{}", first.text());
    assert!(!first.is_replay());
    let after = (
        app.effects().await - before.0,
        app.records().await - before.1,
    );
    let left = match after {
        (1, 1) => Left::Committed,
        (0, 1) => Left::Recorded,
        (0, 0) => Left::Nothing,
        other => panic!("{path} {} left {other:?}", plan.status),
    };
    let runs = app.script.runs.count();
    let second = app.send(post(path, key, 1)).await;
    if left == Left::Nothing {
        assert!(!second.is_replay(), "{path} {}", plan.status);
        assert_eq!(app.script.runs.count(), runs + 1);
    } else {
        second.assert_replays(&first);
        assert_eq!(app.script.runs.count(), runs);
    }
    left
}

/// case H05, case H06: each cell of the design's table, through real handlers.
#[tokio::test]
async fn each_cell_of_the_table_holds() {
    use Left::{Committed, Nothing, Recorded};
    let app = App::with(4, |builder| builder.cache(0)).await;
    let passing = [500, 502, 503, 408, 409, 425, 429];
    let rows = [
        (
            false,
            &[200, 201, 204, 302][..],
            [Committed, Committed, Committed],
        ),
        (
            false,
            &[400, 402, 404, 422],
            [Nothing, Committed, Committed],
        ),
        (false, &passing, [Nothing, Nothing, Committed]),
        (
            true,
            &[200, 302, 400, 402, 404, 422],
            [Nothing, Recorded, Recorded],
        ),
        (true, &passing, [Nothing, Nothing, Recorded]),
    ];
    for (is_err, statuses, expected) in rows {
        for status in statuses {
            for (path, expected) in ["/success", "/op", "/all"].into_iter().zip(expected) {
                let plan = Plan {
                    is_err,
                    ..Plan::ok(*status)
                };
                let key = format!("{is_err}-{status}");
                let found = left(&app, path, &key, plan).await;
                assert_eq!(found, expected, "{path}, Err: {is_err}, {status}");
            }
        }
    }
}

/// Design 7: a final error is recorded in a second transaction on the same connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn final_errors_under_a_small_pool_do_not_deadlock() {
    let app = App::with(2, |builder| builder.cache(0)).await;
    let callers = 20;
    for _ in 0..callers {
        app.script.next(Plan::err(402));
    }
    let answers = (0..callers).map(|caller| app.spawn_post(&format!("k{caller}"), 1));
    for answer in soon("20 final errors", join_all(answers)).await {
        assert_eq!(answer.unwrap().status, StatusCode::PAYMENT_REQUIRED);
    }
    assert_eq!((app.effects().await, app.records().await), (0, callers));
}

/// Copies that waited through a final error get it, whoever recorded it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn copies_of_a_final_error_get_it_once() {
    let app = App::new().await;
    let gate = Gate::new();
    app.script
        .next(Plan::err(402).steps([Step::Write, Step::Pass(gate.clone())]));
    let first = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    let waiting: Vec<_> = (0..10).map(|_| app.spawn_post("k1", 1)).collect();
    gate.open();
    let first = first.await.unwrap();
    for copy in waiting {
        copy.await.unwrap().assert_replays(&first);
    }
    assert_eq!((app.effects().await, app.script.runs.count()), (0, 1));
}

/// case C07: a panic before, between and after writes.
#[tokio::test]
async fn a_panic_rolls_back_frees_the_key_and_is_a_500() {
    let app = App::new().await;
    for steps in [vec![Step::Panic], vec![Step::Write, Step::Panic]] {
        app.script.next(Plan::default().steps(steps));
        let answer = app.post("k1", 1).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            answer.problem_type().as_deref(),
            Some("urn:idem:error:panicked")
        );
        assert_eq!((app.effects().await, app.records().await), (0, 0));
    }
    let after = app.post("k1", 1).await;
    assert!(after.status == StatusCode::CREATED && !after.is_replay());
}

fn assert_unavailable(answer: &Answer) {
    assert_eq!(
        answer.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "{}",
        answer.text()
    );
    assert_eq!(
        answer.problem_type().as_deref(),
        Some("urn:idem:error:unavailable")
    );
    assert_eq!(answer.header("retry-after"), Some("1"));
}

/// case S02: hung bodies and endless answers end at `timeout`, with nothing kept and the key free.
#[tokio::test]
async fn the_timeout_bounds_bodies_and_answers() {
    let app = App::new().await;
    for plan in [
        Plan::default().steps([Step::Write, Step::Hang]),
        Plan::default().body(Reply::Silent),
    ] {
        app.script.next(plan);
        let answer = soon("the timeout of a second", app.send(post("/brief", "k1", 1))).await;
        assert_unavailable(&answer);
        assert_eq!((app.effects().await, app.records().await), (0, 0));
    }
    let after = app.send(post("/brief", "k1", 1)).await;
    assert!(after.status == StatusCode::CREATED && !after.is_replay());
}

/// case S06, case S02: too large, endless, failing and trailing answers leave no row behind.
#[tokio::test]
async fn answers_that_cannot_be_recorded_are_undone() {
    let app = App::with(4, |builder| builder.max_memo(1000)).await;
    for (plan, problem) in [
        (Plan::default().bytes(vec![b'x'; 1001]), "memo-too-large"),
        (Plan::err(402).bytes(vec![b'x'; 1001]), "memo-too-large"),
        (Plan::default().body(Reply::Endless), "memo-too-large"),
        (
            Plan::default().body(Reply::Chunks(vec![Some("a"), None])),
            "memo-unwritable",
        ),
        (Plan::default().body(Reply::Trailers), "memo-unwritable"),
        (Plan::ok(101), "memo-unwritable"),
    ] {
        app.script.next(plan);
        let answer = app.post("k1", 1).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            answer.problem_type(),
            Some(format!("urn:idem:error:{problem}"))
        );
        if problem == "memo-too-large" {
            assert!(
                answer.text().contains("`max_memo` of 1000 bytes"),
                "{}",
                answer.text()
            );
        }
        assert_eq!((app.effects().await, app.records().await), (0, 0));
    }
    app.script.next(Plan::default().bytes(vec![b'x'; 1000]));
    assert_eq!(app.post("k1", 1).await.status, StatusCode::CREATED);
}

/// Asserts that the operation's outcome is unknown, now and for every later attempt.
async fn assert_outcome_unknown(app: &App, key: &str) {
    let runs = app.script.runs.count();
    let first = app.post(key, 1).await;
    assert_eq!(
        first.status,
        StatusCode::INTERNAL_SERVER_ERROR,
        "{}",
        first.text()
    );
    assert_eq!(
        first.problem_type().as_deref(),
        Some("urn:idem:error:transaction-ended")
    );
    assert!(!first.is_replay());
    let elsewhere = app.neighbour(|builder| builder.cache(0)).await;
    for router in [&app.router, &elsewhere] {
        let later = idem_test_support::http::send(router, post("/op", key, 1)).await;
        later.assert_replays(&first);
        let other = idem_test_support::http::send(router, post("/op", key, 2)).await;
        assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert_eq!(app.script.runs.count(), runs + 1);
    // An operator who has looked frees it.
    assert!(app.idem.forget(OP, ("t1", key)).await.unwrap());
    assert_eq!(app.post(key, 1).await.status, StatusCode::CREATED);
}

/// A body that ends its own transaction is never recorded as a success, nor run again; however it
/// went on and whatever it answered.
#[tokio::test]
async fn ending_the_transaction_is_an_unknown_outcome() {
    let app = App::new().await;
    let endings = [
        vec![Step::Write, Step::Sql("COMMIT")],
        vec![Step::Write, Step::Sql("ROLLBACK")],
        vec![Step::Sql("COMMIT"), Step::Write],
        vec![Step::Write, Step::Sql("COMMIT; BEGIN"), Step::Write],
        vec![Step::Write, Step::Sql("ROLLBACK; BEGIN"), Step::Write],
        vec![
            Step::Write,
            Step::Sql("COMMIT"),
            Step::Ignored("SELECT nonsense"),
        ],
    ];
    for (number, steps) in endings.into_iter().enumerate() {
        for plan in [Plan::ok(201), Plan::err(402), Plan::err(503), Plan::ok(500)] {
            let key = format!("k{number}-{}-{}", plan.is_err, plan.status.as_u16());
            app.script.next(plan.steps(steps.clone()));
            assert_outcome_unknown(&app, &key).await;
        }
    }
    // Nothing of all this stayed on a connection: another operation works on each.
    for number in 0..20 {
        assert_eq!(
            app.post(&format!("after{number}"), 1).await.status,
            StatusCode::CREATED
        );
    }
}

/// Likewise when the body then panics or hangs.
#[tokio::test]
async fn ending_the_transaction_and_panicking_is_an_unknown_outcome() {
    let app = App::new().await;
    app.script
        .next(Plan::default().steps([Step::Write, Step::Sql("COMMIT"), Step::Panic]));
    assert_outcome_unknown(&app, "k1").await;
}

/// What sqlx's own savepoints do inside a body is the body's business.
#[tokio::test]
async fn savepoints_of_the_body_are_its_own() {
    let app = App::new().await;
    app.script.next(Plan::default().steps([
        Step::Sql("SAVEPOINT mine"),
        Step::Write,
        Step::Sql("ROLLBACK TO SAVEPOINT mine"),
        Step::Sql("RELEASE SAVEPOINT mine"),
        Step::Write,
        Step::Sql("SAVEPOINT left_open"),
    ]));
    let first = app.post("k1", 1).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text());
    app.post("k1", 1).await.assert_replays(&first);
    assert_eq!(app.effects().await, 1);
}

/// sqlx rolls a dropped savepoint back later than the body ends; it is the body's own all the same.
#[tokio::test]
async fn a_savepoint_dropped_at_the_end_does_not_end_the_transaction() {
    let app = App::with(4, |builder| builder.cache(0)).await;
    for number in 0..20 {
        for plan in [Plan::ok(201), Plan::err(402), Plan::ok(500)] {
            let key = format!("{number}-{}", plan.status.as_u16());
            let status = plan.status;
            app.script
                .next(plan.steps([Step::Write, Step::DropSavepoint]));
            let answer = app.post(&key, 1).await;
            assert_eq!(answer.status, status, "{}", answer.text());
            assert_eq!(answer.problem_type(), None);
        }
    }
    assert_eq!((app.effects().await, app.records().await), (20, 40));
}

/// `drain`: running operations end whole, new ones are refused, replays go on.
#[tokio::test]
async fn drain_lets_running_operations_end_and_starts_none() {
    let app = App::new().await;
    let done = app.post("k0", 1).await;
    let gate = Gate::new();
    app.script
        .next(Plan::err(402).steps([Step::Write, Step::Pass(gate.clone())]));
    let running = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    assert_eq!(app.idem.drain(Duration::ZERO).await, 1);
    let elsewhere = app.idem.clone();
    let drained = tokio::spawn(async move { elsewhere.drain(Duration::from_secs(600)).await });
    app.post("k0", 1).await.assert_replays(&done);
    let waiting = app.spawn_post("k1", 1);
    tokio::task::yield_now().await;
    assert!(!drained.is_finished());
    gate.open();
    // A final error is recorded although the engine drains by then.
    let first = running.await.unwrap();
    assert_eq!(
        first.status,
        StatusCode::PAYMENT_REQUIRED,
        "{}",
        first.text()
    );
    waiting.await.unwrap().assert_replays(&first);
    assert_eq!(soon("drain", drained).await.unwrap(), 0);
    let refused = app.post("k2", 1).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        refused.problem_type().as_deref(),
        Some("urn:idem:error:draining")
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(app.records().await, 2);
}

/// Draining while the store still has the answer: found there, not only in memory.
#[tokio::test]
async fn drain_replays_from_the_store() {
    let app = App::with(4, |builder| builder.cache(0)).await;
    let first = app.post("k1", 1).await;
    assert_eq!(app.idem.drain(Duration::ZERO).await, 0);
    app.post("k1", 1).await.assert_replays(&first);
    assert_eq!(
        app.post("k2", 1).await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
}

/// case C13, as far as answers go: a damaged record is an error of its own, never a second run.
#[tokio::test]
async fn a_damaged_record_is_unreadable_and_not_run_again() {
    for damage in [
        "UPDATE idem_record SET memo = substr(memo, 1, length(memo) - 1)",
        "UPDATE idem_record SET memo = substr(memo, 1, 1)",
        "UPDATE idem_record SET memo = substr(memo, 2)",
        "UPDATE idem_record SET fingerprint = substr(fingerprint, 2)",
    ] {
        let app = App::with(4, |builder| builder.cache(0)).await;
        app.post("k1", 1).await;
        sqlx::raw_sql(damage).execute(&app.pool).await.unwrap();
        let answer = app.post("k1", 1).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{damage}");
        assert_eq!(
            answer.problem_type().as_deref(),
            Some("urn:idem:error:memo-unreadable")
        );
        assert_eq!(app.script.runs.count(), 1);
    }
}
