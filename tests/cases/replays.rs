//! Replays: same status, header lines and bytes; other inputs and callers.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};

use super::app::App;
use super::stage::{Plan, Reply, Step, post, post_as};
use super::store::EXPIRE;

/// Runs `plan` once, and asks twice more: from the memo cache, and from a process without one.
async fn replays(plan: Plan) {
    let app = App::new().await;
    app.script.next(plan);
    let first = app.post("k1", 1).await;
    app.post("k1", 1).await.assert_replays(&first);
    let elsewhere = app.neighbour(|builder| builder.cache(0)).await;
    let again = idem_test_support::http::send(&elsewhere, post("/op", "k1", 1)).await;
    again.assert_replays(&first);
    assert_eq!(app.script.runs.count(), 1);
}

/// case S01
#[tokio::test]
async fn binary_bodies_come_back_byte_for_byte() {
    let png = b"\x89PNG\r\n\x1a\n\0\xff\xfe\x80".to_vec();
    replays(Plan::ok(201).bytes(png).header("content-type", "image/png")).await;
}

/// case S03: what a JSON column could not hold.
#[tokio::test]
async fn nul_and_lone_surrogates_come_back() {
    let body = "{\"text\":\"a\\u0000b \\ud800\0\"}";
    replays(
        Plan::ok(200)
            .bytes(body)
            .header("content-type", "application/json"),
    )
    .await;
}

/// case S12: the same content type, whichever it was.
#[tokio::test]
async fn content_types_are_not_negotiated_again() {
    for content_type in [
        "text/csv",
        "application/problem+json",
        "application/json; charset=utf-8",
    ] {
        replays(
            Plan::ok(200)
                .bytes("{\"status\":200}")
                .header("content-type", content_type),
        )
        .await;
    }
}

/// case S11, case H07: status as it left the handler, and the mark on replays only.
#[tokio::test]
async fn statuses_come_back_as_they_were() {
    for plan in [
        Plan::ok(200),
        Plan::ok(202),
        Plan::ok(204).bytes(""),
        Plan::ok(303).header("location", "/there").bytes(""),
        Plan::ok(402),
        Plan::ok(404),
        Plan::err(402),
        Plan::err(422),
    ] {
        replays(plan).await;
    }
}

/// case H03
#[tokio::test]
async fn location_and_validators_are_replayed() {
    for location in ["/payments/1", "https://api.example/payments/1"] {
        let plan = Plan::ok(201)
            .header("location", location)
            .header("etag", "\"v1\"");
        replays(
            plan.header("link", "</a>; rel=self")
                .header("content-language", "de"),
        )
        .await;
    }
}

#[tokio::test]
async fn repeated_lines_commas_and_opaque_bytes_come_back_in_order() {
    replays(
        Plan::ok(200)
            .header("x-many", "1, 2")
            .header("x-other", "a")
            .header("x-many", "3")
            .header("x-opaque", b"caf\xe9"),
    )
    .await;
}

/// case H01: on the wire, not only in the filter.
#[tokio::test]
async fn lines_of_the_first_exchange_are_not_replayed() {
    let app = App::new().await;
    app.script.next(
        Plan::ok(200)
            .header("set-cookie", "session=secret")
            .header("x-request-id", "1")
            .header("ratelimit-remaining", "3")
            .header("connection", "x-hop")
            .header("x-hop", "1")
            .header("etag", "\"v1\""),
    );
    let first = app.post("k1", 1).await;
    assert_eq!(first.header("set-cookie"), Some("session=secret"));
    let second = app.post("k1", 1).await;
    assert!(second.is_replay());
    assert_eq!(second.header("etag"), Some("\"v1\""));
    for name in [
        "set-cookie",
        "x-request-id",
        "ratelimit-remaining",
        "connection",
        "x-hop",
    ] {
        assert_eq!(second.header(name), None, "{name}");
    }
}

/// case S02: streams are stored whole.
#[tokio::test]
async fn streams_are_stored_whole() {
    replays(Plan::ok(200).body(Reply::Chunks(vec![Some("a,"), Some(""), Some("b\n")]))).await;
}

/// case H11, case K07: other inputs, through every way a duplicate learns of the first.
#[tokio::test]
async fn other_inputs_under_the_same_key_are_refused() {
    let app = App::new().await;
    let first = app.post("k1", 1).await;
    assert_eq!(first.status, StatusCode::CREATED);
    let elsewhere = app.neighbour(|builder| builder.cache(0)).await;
    for router in [&app.router, &elsewhere] {
        for request in [
            post("/op", "k1", 2),
            post("/op/7", "k1", 1),
            post("/op?page=2", "k1", 1),
        ] {
            let refused = idem_test_support::http::send(router, request).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
            assert_eq!(
                refused.problem_type().as_deref(),
                Some("urn:idem:error:key-reused")
            );
            assert_eq!(refused.header("retry-after"), None);
        }
    }
    assert_eq!(app.effects().await, 1);
    app.post("k1", 1).await.assert_replays(&first);
}

#[tokio::test]
async fn the_order_of_the_query_does_not_count() {
    let app = App::new().await;
    let first = app.send(post("/op?a=1&b=2&b=3", "k1", 1)).await;
    app.send(post("/op?b=2&b=3&a=1", "k1", 1))
        .await
        .assert_replays(&first);
    app.send(post("/op?b=2&b=3&a=%31", "k1", 1))
        .await
        .assert_replays(&first);
    let other = app.send(post("/op?b=3&b=2&a=1", "k1", 1)).await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn another_caller_runs_on_its_own() {
    let app = App::new().await;
    let first = app.send(post_as("alice", "/op", "k1", 1)).await;
    let other = app.send(post_as("bob", "/op", "k1", 2)).await;
    assert_eq!(other.status, StatusCode::CREATED);
    assert!(!other.is_replay() && other.body != first.body);
    assert_eq!(app.effects().await, 2);
}

/// case K01, case K02: the scope is part of the key, and a stated one survives everything else.
#[tokio::test]
async fn scopes_keep_operations_apart() {
    let app = App::new().await;
    let first = app.post("k1", 1).await;
    let other = app.send(post("/success", "k1", 1)).await;
    assert!(!other.is_replay() && first.body != other.body);
    assert_eq!(app.effects().await, 2);
}

/// case T02, case T07: the claim itself sees the expiry, without any sweeper.
#[tokio::test]
async fn an_expired_key_runs_again() {
    let app = App::with(20, |builder| builder.cache(0)).await;
    let first = app.post("k1", 1).await;
    sqlx::query(EXPIRE).execute(&app.pool).await.unwrap();
    let second = app.post("k1", 2).await;
    assert!(!second.is_replay() && second.body != first.body);
    app.post("k1", 2).await.assert_replays(&second);
    assert_eq!((app.effects().await, app.records().await), (2, 1));
}

/// case K11, case H11: missing and malformed keys, one header at a time.
#[tokio::test]
async fn missing_and_malformed_keys_are_400() {
    let app = App::new().await;
    let request = |keys: &[&[u8]]| {
        let mut request = post("/op", "replaced", 1);
        request.headers_mut().remove("idempotency-key");
        for key in keys {
            let key = axum::http::HeaderValue::from_bytes(key).unwrap();
            request.headers_mut().append("idempotency-key", key);
        }
        request
    };
    let missing = app.send(request(&[])).await;
    assert_eq!(missing.status, StatusCode::BAD_REQUEST);
    assert_eq!(
        missing.problem_type().as_deref(),
        Some("urn:idem:error:missing-key")
    );
    let long = vec![b'k'; 256];
    let longer = vec![b'k'; 10_240];
    for keys in [
        &[&b""[..]][..],
        &[b"\"\""],
        &[b"\"abc"],
        &[b"a b"],
        &[b"caf\xc3\xa9"],
        &[b"abc", b"abc"],
        &[b"abc", b"def"],
        &[&long],
        &[&longer],
    ] {
        let refused = app.send(request(keys)).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{keys:?}");
        assert_eq!(
            refused.problem_type().as_deref(),
            Some("urn:idem:error:invalid-key")
        );
    }
    assert_eq!(app.script.runs.count(), 0);
    let first = app.send(request(&[b"abc"])).await;
    app.send(request(&[b"\"abc\""]))
        .await
        .assert_replays(&first);
    app.send(request(&[b" abc\t"])).await.assert_replays(&first);
    let escaped = app.send(request(&[b"\"a\\\"b\""])).await;
    assert_eq!(escaped.status, StatusCode::CREATED);
}

/// case H11: the link a client needs when it does not know about keys.
#[tokio::test]
async fn refused_keys_link_the_docs() {
    let app = App::with(2, |builder| builder.docs_url("https://api.example/keys")).await;
    let mut request = post("/op", "k1", 1);
    request.headers_mut().remove("idempotency-key");
    let missing = app.send(request).await;
    let link = "<https://api.example/keys>; rel=\"describedby\"; type=\"text/html\"";
    assert_eq!(missing.header("link"), Some(link));
}

/// case H06: what an extractor refuses costs no key.
#[tokio::test]
async fn a_refused_body_costs_no_key() {
    let app = App::new().await;
    let mut broken = post("/op", "k1", 1);
    *broken.body_mut() = Body::from("{");
    assert_eq!(app.send(broken).await.status, StatusCode::BAD_REQUEST);
    let mut wrong = post("/op", "k1", 1);
    *wrong.body_mut() = Body::from("{\"amount\":\"x\"}");
    assert_eq!(
        app.send(wrong).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    assert_eq!(app.records().await, 0);
    assert_eq!(app.post("k1", 1).await.status, StatusCode::CREATED);
}

/// case H10: the app's own body limit holds, before any key is taken.
#[tokio::test]
async fn the_body_limit_of_the_app_holds() {
    let app = App::new().await;
    let mut large = post("/op", "k1", 1);
    *large.body_mut() = Body::from(vec![b' '; 2 * 1024 * 1024 + 1]);
    assert_eq!(app.send(large).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!((app.records().await, app.script.runs.count()), (0, 0));
}

/// case H08: preflight and safe methods need no key.
#[tokio::test]
async fn preflight_and_safe_methods_pass() {
    let app = App::new().await;
    let cors = tower_http::cors::CorsLayer::permissive();
    let router = app.router.clone().layer(cors);
    let preflight = Request::options("/op")
        .header(header::ORIGIN, "https://shop.example")
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
        .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "idempotency-key")
        .body(Body::empty())
        .unwrap();
    let answer = idem_test_support::http::send(&router, preflight).await;
    assert_eq!(answer.status, StatusCode::OK);
    for method in ["GET", "HEAD"] {
        let request = Request::builder()
            .method(method)
            .uri("/op")
            .body(Body::empty())
            .unwrap();
        let answer = idem_test_support::http::send(&router, request).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(answer.problem_type(), None);
    }
    assert_eq!(app.script.runs.count(), 0);
}

/// case X06: hostile keys are digests and bound parameters.
#[tokio::test]
async fn hostile_keys_are_only_text() {
    let app = App::new().await;
    for key in [
        "';DROP/**/TABLE/**/effect;--",
        "*?{}[]%_",
        "$1",
        "${jndi:x}",
        "\\x00",
    ] {
        let first = app.post(key, 1).await;
        assert_eq!(first.status, StatusCode::CREATED, "{key}");
        app.post(key, 1).await.assert_replays(&first);
    }
    assert_eq!(app.effects().await, 5);
    let keys: Vec<String> = sqlx::query_scalar("SELECT key FROM idem_record")
        .fetch_all(&app.pool)
        .await
        .unwrap();
    assert!(!keys.iter().any(|key| key.contains(char::is_control)));
}

/// Gradual roll-out: a request without a key runs each time, one with a key once.
#[tokio::test]
async fn a_missing_key_runs_unprotected_where_allowed() {
    let app = App::new().await;
    let without = || {
        let mut request = post("/optional", "k", 1);
        request.headers_mut().remove("idempotency-key");
        request
    };
    assert_eq!(app.send(without()).await.status, StatusCode::CREATED);
    assert_eq!(app.send(without()).await.status, StatusCode::CREATED);
    assert_eq!((app.effects().await, app.records().await), (2, 0));
    // The policy for writes stays: a failure keeps nothing.
    app.script.next(Plan::err(402)).next(Plan::ok(503));
    assert_eq!(
        app.send(without()).await.status,
        StatusCode::PAYMENT_REQUIRED
    );
    assert_eq!(
        app.send(without()).await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    assert_eq!(app.effects().await, 2);
    let first = app.send(post("/optional", "k1", 1)).await;
    app.send(post("/optional", "k1", 1))
        .await
        .assert_replays(&first);
    // A malformed key is still refused.
    assert_eq!(
        app.send(post("/optional", "a b", 1)).await.status,
        StatusCode::BAD_REQUEST
    );
}

/// A request without a key whose body ended the transaction is told so, and its connection is as good
/// as before: there is no other.
#[tokio::test]
async fn an_unprotected_body_that_ends_its_transaction_is_no_success() {
    let app = App::with(1, |builder| builder).await;
    for end in ["ROLLBACK", "COMMIT"] {
        app.script
            .next(Plan::default().steps([Step::Write, Step::Sql(end)]));
        let ended = app.send(unprotected()).await;
        assert_eq!(ended.status, StatusCode::INTERNAL_SERVER_ERROR, "{end}");
    }
    let fine = app.send(unprotected()).await;
    assert_eq!(fine.status, StatusCode::CREATED, "{}", fine.text());
    // What the second body committed by itself, and the last one's.
    assert_eq!(app.effects().await, 2);
}

/// PostgreSQL answers the COMMIT of a failed transaction with a rollback and no error.
#[tokio::test]
async fn an_unprotected_answer_is_given_only_for_what_is_committed() {
    let app = App::new().await;
    app.script
        .next(Plan::default().steps([Step::Write, Step::Ignored("SELECT * FROM nowhere")]));
    let answer = app.send(unprotected()).await;
    let committed = app.effects().await == 1;
    assert_eq!(
        answer.status == StatusCode::CREATED,
        committed,
        "{}",
        answer.text()
    );
}

/// A request without a key where that is allowed.
fn unprotected() -> Request<Body> {
    let mut request = post("/optional", "k", 1);
    request.headers_mut().remove("idempotency-key");
    request
}
