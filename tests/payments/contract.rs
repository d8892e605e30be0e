//! The HTTP contract of payments: each endpoint, each answer, and what costs a key.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::database::Database;
use crate::server::{Server, answer, assert_problem, payment, with};

crate::on_both_databases! {
    a_payment_is_made_once_and_replayed
    a_declined_card_is_final_and_moves_no_money
    a_provider_that_is_down_gives_the_key_back
    wrong_input_costs_no_key
    nobody_gets_401_before_anything_else
    a_payment_needs_a_key
    other_inputs_path_or_query_under_one_key_are_refused
    merchants_share_nothing
    payments_are_listed_newest_first
    what_is_not_there_is_a_problem_too
    logs_hold_no_keys_bodies_or_merchants
}

async fn a_payment_is_made_once_and_replayed(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let body = with(payment(1200), "order", "größer \"7\"");
    let first = api.pay("k1", &body).await;
    assert_eq!(first.status, StatusCode::CREATED);
    let made: Value = first.json();
    let id = made["id"].as_str().expect("a payment has an id");
    let expected = json!({
        "id": id, "order": "größer \"7\"", "amount": 1200, "currency": "eur", "status": "paid",
    });
    assert_eq!(made, expected);
    assert_eq!(first.header("location"), Some(&*format!("/payments/{id}")));
    assert_eq!(first.header("content-type"), Some("application/json"));

    api.pay("k1", &body).await.assert_replays(&first);
    // The draft's own spelling of the same key.
    api.pay("\"k1\"", &body).await.assert_replays(&first);
    api.assert_has_one_payment_of(1200).await;
    let read = api.get(&format!("/payments/{id}")).await;
    assert_eq!(
        (read.status, read.json::<Value>()),
        (StatusCode::OK, made.clone())
    );
    assert_eq!(api.account().await.0, [made]);
}

async fn a_declined_card_is_final_and_moves_no_money(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let body = with(payment(1200), "card", "tok_declined");
    let first = api.pay("k1", &body).await;
    assert_problem(&first, 402, "declined");
    api.pay("k1", &body).await.assert_replays(&first);
    assert_eq!(api.account().await, (vec![], 0));
    assert_problem(&api.pay("k1", &payment(1200)).await, 422, "idem:key-reused");
}

async fn a_provider_that_is_down_gives_the_key_back(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let down = with(payment(1200), "card", "tok_down");
    for _ in 0..2 {
        let answer = api.pay("k1", &down).await;
        assert_problem(&answer, 503, "provider-down");
        assert!(!answer.is_replay(), "a released key runs again: {answer:?}");
    }
    assert_eq!(api.account().await, (vec![], 0));
    let paid = api.pay("k1", &payment(1200)).await;
    assert_eq!(paid.status, StatusCode::CREATED);
    assert!(!paid.is_replay());
    api.assert_has_one_payment_of(1200).await;
}

async fn wrong_input_costs_no_key(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let post = |body: String| {
        let request = api.request(Method::POST, "/payments");
        answer(request.header("idempotency-key", "k1").body(body))
    };
    for broken in ["", "{", "not json", "{\"order\": \"\\ud800\"}"] {
        assert_problem(&post(broken.to_owned()).await, 400, "invalid-request");
    }
    let wrong = [
        json!(null),
        json!([1]),
        json!({}),
        with(payment(1), "order", 7),
        with(payment(1), "order", "no\0end"),
        with(payment(1), "order", "x".repeat(1001)),
        with(payment(1), "amount", 0),
        with(payment(1), "amount", -1),
        with(payment(1), "amount", 1.5),
        with(payment(1), "amount", "1"),
        with(payment(1), "amount", i64::MAX),
        with(payment(1), "amount", u64::MAX),
        with(payment(1), "currency", "EUR"),
        with(payment(1), "currency", "gbp"),
        with(payment(1), "card", "tok_other"),
        with(payment(1), "delay_ms", -1),
        with(payment(1), "delay_ms", 10_001),
        with(payment(1), "delay_ms", "1"),
    ];
    for body in wrong {
        assert_problem(&post(body.to_string()).await, 422, "invalid-request");
    }
    assert_eq!(api.account().await, (vec![], 0));

    let paid = api.pay("k1", &payment(1200)).await;
    assert_eq!(paid.status, StatusCode::CREATED);
    assert!(!paid.is_replay());
}

async fn nobody_gets_401_before_anything_else(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let id = api.pay("k1", &payment(1)).await.json::<Value>()["id"].clone();
    let payment_path = format!("/payments/{}", id.as_str().expect("an id"));
    let refunds = format!("{payment_path}/refunds");
    let requests = [
        (Method::POST, "/payments"),
        (Method::GET, "/payments"),
        (Method::GET, &payment_path),
        (Method::GET, "/payments/none"),
        (Method::POST, &refunds),
        (Method::POST, "/payments/none/refunds"),
        (Method::DELETE, "/payments"),
        (Method::GET, "/elsewhere"),
    ];
    for (method, path) in requests {
        // Without a key, with a body that is none: only the merchant is missed.
        let request = || api.anonymous(method.clone(), path).body("{");
        for credentials in ["", "Bearer", "Bearer ", "Basic YWNtZTo=", "acme"] {
            let answer = answer(request().header("authorization", credentials)).await;
            assert_problem(&answer, 401, "unauthorized");
        }
        let answer = answer(request()).await;
        assert_problem(&answer, 401, "unauthorized");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    api.assert_has_one_payment_of(1).await;
}

async fn a_payment_needs_a_key(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let request = || api.request(Method::POST, "/payments").json(&payment(1));
    assert_problem(&answer(request()).await, 400, "idem:missing-key");
    for malformed in ["", "\"unbalanced", "two words", &"k".repeat(256)] {
        let answer = answer(request().header("idempotency-key", malformed)).await;
        assert_problem(&answer, 400, "idem:invalid-key");
    }
    let twice = request()
        .header("idempotency-key", "k1")
        .header("idempotency-key", "k1");
    assert_problem(&answer(twice).await, 400, "idem:invalid-key");
    assert_eq!(api.account().await, (vec![], 0));
}

async fn other_inputs_path_or_query_under_one_key_are_refused(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let first = api.pay("k1", &payment(1200)).await;
    let others = [
        payment(1201),
        with(payment(1200), "order", "order-2"),
        with(payment(1200), "currency", "usd"),
        with(payment(1200), "card", "tok_down"),
        with(payment(1200), "delay_ms", 1),
    ];
    for other in others {
        assert_problem(&api.pay("k1", &other).await, 422, "idem:key-reused");
    }
    let query = api
        .post("/payments?dry_run=true", "k1", &payment(1200))
        .await;
    assert_problem(&query, 422, "idem:key-reused");
    // Members in another order, and an absent member given as null, are the same inputs.
    let same = "{\"delay_ms\": null, \"card\": \"tok_ok\", \"currency\": \"eur\",
                 \"amount\": 1200, \"order\": \"order-1\"}";
    let request = api
        .request(Method::POST, "/payments")
        .header("idempotency-key", "k1");
    answer(request.body(same)).await.assert_replays(&first);
    api.assert_has_one_payment_of(1200).await;
}

async fn merchants_share_nothing(database: Database) {
    let server = Server::start(&database).await;
    let (acme, other) = (server.api(), server.api().of("other"));
    let first = acme.pay("k1", &payment(1200)).await;
    let second = other.pay("k1", &payment(700)).await;
    assert_eq!(second.status, StatusCode::CREATED);
    assert!(!second.is_replay());
    acme.assert_has_one_payment_of(1200).await;
    other.assert_has_one_payment_of(700).await;
    let location = first.header("location").expect("a payment has a location");
    assert_problem(&other.get(location).await, 404, "no-such-payment");
}

async fn payments_are_listed_newest_first(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let mut made = Vec::new();
    for amount in 1..=5 {
        let answer = api.pay(&format!("k{amount}"), &payment(amount)).await;
        made.insert(0, answer.json::<Value>());
    }
    assert_eq!(api.account().await, (made, 15));
}

async fn what_is_not_there_is_a_problem_too(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    assert_problem(&api.get("/payments/none").await, 404, "no-such-payment");
    assert_problem(&api.get("/payments/%ff").await, 404, "no-such-payment");
    assert_problem(&api.get("/payments/%00").await, 404, "no-such-payment");
    assert_problem(&api.refund("%00", "k1", 1).await, 404, "no-such-payment");
    assert_problem(&api.get("/").await, 404, "not-found");
    let put = answer(api.request(Method::PUT, "/payments")).await;
    assert_problem(&put, 405, "method-not-allowed");
    assert_eq!(api.account().await, (vec![], 0));
}

async fn logs_hold_no_keys_bodies_or_merchants(database: Database) {
    let server = Server::start_logging(&database, "trace").await;
    let api = server.api().of("merchant-4711");
    let body = with(payment(1200), "order", "order-4711");
    for body in [
        &body,
        &body,
        &with(body.clone(), "amount", 1201),
        &with(body.clone(), "currency", "4711"),
    ] {
        api.pay("key-4711", body).await;
    }
    let declined = with(body, "card", "tok_declined");
    api.pay("key-4711-declined", &declined).await;
    let output = server.output();
    assert!(
        output.contains("outcome=\"ran\""),
        "it logs at all:\n{output}"
    );
    let told: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("4711"))
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}
