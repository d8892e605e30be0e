//! What logs say about operations: scope, key digest, outcome; and nothing else of theirs.

use axum::http::header;
use idem_test_support::logs::Logs;

use super::app::{App, OP};
use super::stage::{Plan, Reply, Step, post};

/// case X04: runs, replays, refusals, failures and ended transactions, all logged at TRACE.
#[tokio::test]
async fn logs_hold_no_keys_bodies_or_answers() {
    let logs = Logs::of_process();
    let app = App::with(4, |builder| builder.max_memo(1000)).await;
    let secret_key = "key-4bb1d0";
    let send = async |amount: i64, plan: Plan| {
        app.script.next(plan);
        let mut request = post("/op", secret_key, amount);
        request.headers_mut().insert(
            header::AUTHORIZATION,
            "Bearer token-77aa01".parse().unwrap(),
        );
        app.send(request).await
    };
    let answer = || {
        Plan::default()
            .bytes("answer-c0ffee")
            .header("x-answer", "header-c0ffee")
    };
    send(424_242, answer().steps([Step::Write, Step::Panic])).await;
    send(
        424_242,
        answer().body(Reply::Chunks(vec![Some("answer-c0ffee"), None])),
    )
    .await;
    send(424_242, answer().bytes("answer-c0ffee".repeat(100))).await;
    send(424_242, answer()).await;
    assert!(send(424_242, answer()).await.is_replay());
    send(434_343, answer()).await;
    app.idem.forget(OP, ("t1", secret_key)).await.unwrap();
    send(424_242, answer().steps([Step::Write, Step::Sql("COMMIT")])).await;
    app.pool.close().await;
    send(454_545, answer()).await;
    logs.assert_free_of(&[
        secret_key,
        "token-77aa01",
        "c0ffee",
        "424242",
        "434343",
        "454545",
    ]);
    // The log is not merely empty: it has the operation's scope, digest and outcomes.
    let text = logs.text();
    for said in [OP, "outcome", "ran", "replayed", "key-reused", "panicked"] {
        assert!(text.contains(said), "the log says nothing of {said}");
    }
}

/// case X04: at rest there is a digest of the request, never the request.
#[tokio::test]
async fn the_request_is_stored_as_a_digest_only() {
    let app = App::new().await;
    let mut request = post("/op", "k1", 987_654_321);
    request.headers_mut().insert(
        header::AUTHORIZATION,
        "Bearer token-77aa01".parse().unwrap(),
    );
    app.send(request).await;
    let (fingerprint, memo): (Vec<u8>, Vec<u8>) =
        sqlx::query_as("SELECT fingerprint, memo FROM idem_record")
            .fetch_one(&app.pool)
            .await
            .unwrap();
    assert_eq!(fingerprint.len(), 33);
    for bytes in [fingerprint, memo] {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("987654321") && !text.contains("token-77aa01"));
    }
}
