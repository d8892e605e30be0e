//! The HTTP contract of refunds.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::database::Database;
use crate::server::{Api, Server, assert_problem, payment};

crate::on_both_databases! {
    a_refund_moves_the_money_back_once
    nobody_gets_back_more_than_was_paid
    unknown_payments_and_those_of_others_are_not_found
    wrong_amounts_cost_no_key
    one_key_names_one_payments_refund
}

async fn paid(api: &Api, key: &str, amount: i64) -> String {
    let made: Value = api.pay(key, &payment(amount)).await.json();
    made["id"].as_str().expect("a payment has an id").to_owned()
}

async fn a_refund_moves_the_money_back_once(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let id = paid(&api, "k1", 1200).await;
    // The same key as the payment's: refunds are another operation.
    let first = api.refund(&id, "k1", 500).await;
    assert_eq!(first.status, StatusCode::CREATED);
    let made: Value = first.json();
    assert_eq!(
        made,
        json!({ "id": made["id"], "payment": id, "amount": 500 })
    );
    api.refund(&id, "k1", 500).await.assert_replays(&first);
    assert_eq!(api.account().await.1, 700);
    let rest = api.refund(&id, "k2", 700).await;
    assert_eq!(rest.status, StatusCode::CREATED);
    assert_eq!(api.account().await.1, 0);
}

async fn nobody_gets_back_more_than_was_paid(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let id = paid(&api, "k1", 1200).await;
    api.refund(&id, "r1", 500).await;
    let first = api.refund(&id, "r2", 701).await;
    assert_problem(&first, 422, "refund-too-large");
    api.refund(&id, "r2", 701).await.assert_replays(&first);
    assert_eq!(api.account().await.1, 700);
}

async fn unknown_payments_and_those_of_others_are_not_found(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let id = paid(&api.of("other"), "k1", 1200).await;
    for payment in [&*id, "none"] {
        let first = api.refund(payment, &format!("r-{payment}"), 1).await;
        assert_problem(&first, 404, "no-such-payment");
        let again = api.refund(payment, &format!("r-{payment}"), 1).await;
        again.assert_replays(&first);
    }
    api.of("other").assert_has_one_payment_of(1200).await;
}

async fn wrong_amounts_cost_no_key(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let id = paid(&api, "k1", 1200).await;
    let path = format!("/payments/{id}/refunds");
    for amount in [json!(0), json!(-1), json!(1.5), json!("1"), json!(null)] {
        let answer = api.post(&path, "r1", &json!({ "amount": amount })).await;
        assert_problem(&answer, 422, "invalid-request");
    }
    assert_eq!(api.refund(&id, "r1", 1).await.status, StatusCode::CREATED);
}

async fn one_key_names_one_payments_refund(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let (one, other) = (paid(&api, "k1", 100).await, paid(&api, "k2", 100).await);
    assert_eq!(api.refund(&one, "r1", 10).await.status, StatusCode::CREATED);
    assert_problem(&api.refund(&other, "r1", 10).await, 422, "idem:key-reused");
    assert_eq!(api.account().await.1, 190);
}
