//! The client goes away: what had begun ends whole, and no connection is left in a transaction.

use std::time::Duration;

use axum::http::StatusCode;
use futures::future::join_all;
use idem_test_support::gate::Gate;
use idem_test_support::http::send;

use super::app::App;
use super::stage::{Plan, Step, post};

/// case C01, case C03: requests dropped at every moment of their life, on a pool of one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_dropped_at_every_moment_end_whole() {
    let app = App::with(1, |builder| builder).await;
    let drops: u64 = 250;
    for moment in 0..drops {
        let request = app.router.clone();
        let key = format!("k{moment}");
        let call = tokio::spawn({
            let key = key.clone();
            async move { send(&request, post("/op", &key, 1)).await }
        });
        // From before the first poll to after the last: 0 to 5 ms in steps of 20 µs.
        let until = std::time::Instant::now() + Duration::from_micros(20 * moment);
        while std::time::Instant::now() < until {
            tokio::task::yield_now().await;
        }
        call.abort();
        // The next request on the only connection commits, as a second connection sees.
        let next = app.post(&format!("n{moment}"), 1).await;
        assert_eq!(
            next.status,
            StatusCode::CREATED,
            "after {moment}: {}",
            next.text()
        );
        // The dropped one, asked for again, has one effect, whether it had begun or not.
        let retried = app.post(&key, 1).await;
        assert_eq!(
            retried.status,
            StatusCode::CREATED,
            "retry {moment}: {}",
            retried.text()
        );
    }
    let both = i64::try_from(2 * drops).unwrap();
    assert_eq!((app.effects().await, app.records().await), (both, both));
    assert_eq!(app.script.runs.count(), 2 * drops as usize);
}

/// case C03: a body whose client went away runs to its end, in its task, and is recorded.
#[tokio::test]
async fn a_running_body_survives_its_client() {
    let app = App::new().await;
    let gate = Gate::new();
    app.script
        .next(Plan::default().steps([Step::Write, Step::Pass(gate.clone()), Step::Write]));
    let call = app.spawn_post("k1", 1);
    gate.arrived(1).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    let waiting = app.spawn_post("k1", 1);
    gate.open();
    let replay = waiting.await.unwrap();
    assert!(replay.is_replay() && replay.status == StatusCode::CREATED);
    assert_eq!((app.effects().await, app.script.runs.count()), (2, 1));
}

/// Over a real socket, many at once: the server's own cancellation, not only an aborted task.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_closed_at_every_moment_leave_the_pool_healthy() {
    let app = App::with(4, |builder| builder).await;
    let served = idem_test_support::http::Served::start(app.router.clone()).await;
    let client = reqwest::Client::new();
    let calls = (0..200_u64).map(|moment| {
        let request = client
            .post(served.url("/op"))
            .header("idempotency-key", format!("k{moment}"))
            .header("content-type", "application/json")
            .body("{\"amount\":1}");
        // A client's own timeout, from before it connects to after it has the answer.
        let request = request.timeout(Duration::from_micros(1 + 100 * moment));
        tokio::spawn(async move { request.send().await.is_ok() })
    });
    join_all(calls.collect::<Vec<_>>()).await;
    for moment in 0..200 {
        let answer = app.post(&format!("k{moment}"), 1).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    }
    assert_eq!((app.effects().await, app.records().await), (200, 200));
}
