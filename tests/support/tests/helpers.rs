//! The smaller helpers: gates, counters, answers, logs, SQLite, children.

use std::process::Command;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode};
use axum::routing::get;
use idem_test_support::counter::Counter;
use idem_test_support::gate::Gate;
use idem_test_support::http::{Answer, Served, send};
use idem_test_support::logs::Logs;
use idem_test_support::patience::soon;
use idem_test_support::process::Child;
use idem_test_support::sqlite::Database;
use nix::sys::signal::Signal;

#[tokio::test]
async fn a_gate_admits_in_order_of_arrival_and_then_opens() {
    let (gate, passed) = (Gate::new(), Counter::new());
    let bodies: Vec<_> = (0..3)
        .map(|_| {
            let (gate, passed) = (gate.clone(), passed.clone());
            tokio::spawn(async move {
                gate.pass().await;
                passed.add();
            })
        })
        .collect();
    gate.arrived(3).await;
    assert_eq!(passed.count(), 0);
    gate.admit(1);
    passed.reached(1).await;
    assert_eq!(passed.count(), 1);
    gate.open();
    for body in bodies {
        soon("a body", body).await.unwrap();
    }
    soon("a late one", gate.pass()).await;
    assert_eq!((passed.count(), gate.arrivals()), (3, 4));
}

fn router() -> Router {
    let lines = |replayed: bool| {
        async move || {
            let mut headers = HeaderMap::new();
            headers.append("x-line", HeaderValue::from_static("1"));
            headers.append("x-line", HeaderValue::from_static("2"));
            if replayed {
                headers.append("idempotent-replayed", HeaderValue::from_static("true"));
            }
            (StatusCode::CREATED, headers, "body")
        }
    };
    Router::new()
        .route("/first", get(lines(false)))
        .route("/again", get(lines(true)))
}

#[tokio::test]
async fn a_replay_differs_from_the_first_answer_only_in_saying_so() {
    let get = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    let first = send(&router(), get("/first")).await;
    let again = send(&router(), get("/again")).await;
    again.assert_replays(&first);

    let mut other_order = first.clone();
    other_order.headers.remove("x-line");
    other_order
        .headers
        .append("x-line", HeaderValue::from_static("2"));
    other_order
        .headers
        .append("x-line", HeaderValue::from_static("1"));
    assert!(
        !first.is_same_as(&other_order),
        "lines of one name have an order"
    );
    assert!(!first.is_same_as(&Answer {
        body: "other".into(),
        ..first.clone()
    }));
    assert!(!first.is_same_as(&Answer {
        status: StatusCode::OK,
        ..first.clone()
    }));
}

#[tokio::test]
async fn an_answer_over_a_socket_is_the_same_as_without() {
    let served = Served::start(router()).await;
    let response = reqwest::get(served.url("/first")).await.unwrap();
    let received = Answer::received(response).await.unwrap();
    let direct = send(
        &router(),
        Request::get("/first").body(Body::empty()).unwrap(),
    )
    .await;
    received.assert_same_as(&direct);
    assert!(
        received.header("date").is_some(),
        "the difference that is not looked at"
    );
}

#[tokio::test]
async fn logs_hold_every_level_and_the_fields_of_spans() {
    let (logs, _guard) = Logs::of_thread();
    let span = tracing::trace_span!("operation", secret = tracing::field::Empty).entered();
    span.record("secret", "in-a-span");
    tracing::trace!(secret = "in-an-event", "said");
    drop(span);
    assert_eq!(logs.lines_with("in-an-event").len(), 1);
    assert!(!logs.lines_with("in-a-span").is_empty());
    logs.assert_free_of(&["never-logged"]);
}

#[tokio::test]
async fn sqlite_files_are_separate_in_wal_mode_and_shared_by_a_pool() {
    let (one, other) = (Database::new(), Database::new());
    let (pool, empty) = (one.pool(4).await, other.pool(1).await);
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(mode, "wal");
    sqlx::raw_sql("CREATE TABLE kept (value)")
        .execute(&pool)
        .await
        .unwrap();
    sqlx::raw_sql("SELECT * FROM kept")
        .execute(&pool)
        .await
        .unwrap();
    sqlx::raw_sql("SELECT * FROM kept")
        .execute(&empty)
        .await
        .unwrap_err();
    let by_url = sqlx::SqlitePool::connect(&one.url()).await.unwrap();
    sqlx::raw_sql("SELECT * FROM kept")
        .execute(&by_url)
        .await
        .unwrap();
}

fn shell(script: &str) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Child::start(command)
}

#[tokio::test]
async fn a_child_is_heard_on_both_outputs_and_ends_by_signal() {
    let mut child =
        shell("trap 'echo bye; exit 3' TERM; echo one; echo two >&2; while :; do sleep 0.01; done");
    assert_eq!(child.line_with("two").await, "two");
    assert_eq!(child.line_with("one").await, "one");
    child.signal(Signal::SIGTERM);
    assert_eq!(child.ended().await.code(), Some(3));
    assert!(child.output().ends_with("bye"), "{}", child.output());
}

#[tokio::test]
#[should_panic(expected = "its last words")]
async fn a_child_that_ends_without_the_line_shows_its_output() {
    let mut child = shell("echo its last words");
    child.line_with("listening").await;
}
