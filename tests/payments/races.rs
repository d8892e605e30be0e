//! Copies that arrive together, in one process and in two, and operations that race for one row.

use std::collections::HashSet;

use futures::future::join_all;
use idem_test_support::http::Answer;
use reqwest::StatusCode;
use serde_json::Value;

use crate::database::Database;
use crate::server::{Api, Paying, Server, assert_problem, payment, slow_payment};

crate::on_both_databases! {
    sixty_four_copies_are_one_payment
    copies_in_two_processes_are_one_payment
    a_slow_payment_refuses_other_inputs_at_once
    payments_with_keys_of_their_own_all_count
    racing_refunds_stay_within_what_was_paid
}

fn copies(count: usize, api: &Api, body: &Value) -> Vec<Paying> {
    (0..count).map(|_| api.start_paying("k1", body)).collect()
}

/// Asserts that all got the one answer of the one attempt that ran.
async fn assert_one_answer(copies: Vec<Paying>) {
    let answers: Vec<Answer> = join_all(copies.into_iter().map(Paying::answer)).await;
    let (ran, replayed): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| !answer.is_replay());
    assert_eq!(ran.len(), 1, "{ran:?}");
    assert_eq!(ran[0].status, StatusCode::CREATED);
    for replay in replayed {
        replay.assert_replays(ran[0]);
    }
}

async fn sixty_four_copies_are_one_payment(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    assert_one_answer(copies(64, &api, &slow_payment(1200, 300))).await;
    api.assert_has_one_payment_of(1200).await;
}

async fn copies_in_two_processes_are_one_payment(database: Database) {
    let (one, other) = tokio::join!(Server::start(&database), Server::start(&database));
    let body = slow_payment(1200, 300);
    let mut all = copies(32, &one.api(), &body);
    all.extend(copies(32, &other.api(), &body));
    assert_one_answer(all).await;
    one.api().assert_has_one_payment_of(1200).await;
    other.api().assert_has_one_payment_of(1200).await;
}

async fn a_slow_payment_refuses_other_inputs_at_once(database: Database) {
    let mut server = Server::start(&database).await;
    let api = server.api();
    let running = api.start_paying("k1", &slow_payment(1200, 3000));
    server.is_between_the_writes().await;
    let refused = api.pay("k1", &slow_payment(1300, 3000)).await;
    assert_problem(&refused, 422, "idem:key-reused");
    assert!(
        !running.is_over(),
        "refused only after the first had finished"
    );
    assert_eq!(running.answer().await.status, StatusCode::CREATED);
    api.assert_has_one_payment_of(1200).await;
}

async fn payments_with_keys_of_their_own_all_count(database: Database) {
    let (one, other) = tokio::join!(Server::start(&database), Server::start(&database));
    let paying = (1..=40).map(|amount| {
        let server = if amount % 2 == 0 { &one } else { &other };
        server
            .api()
            .start_paying(&format!("k{amount}"), &payment(amount))
    });
    let paying: Vec<Paying> = paying.collect();
    for answer in join_all(paying.into_iter().map(Paying::answer)).await {
        assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
    }
    let (payments, balance) = one.api().account().await;
    let ids: HashSet<String> = payments.iter().map(|one| one["id"].to_string()).collect();
    assert_eq!((ids.len(), balance), (40, 820));
}

async fn racing_refunds_stay_within_what_was_paid(database: Database) {
    let server = Server::start(&database).await;
    let api = server.api();
    let made: Value = api.pay("k1", &payment(100)).await.json();
    let id = made["id"].as_str().expect("a payment has an id");
    let keys: Vec<String> = (0..10).map(|number| format!("r{number}")).collect();
    let answers = join_all(keys.iter().map(|key| api.refund(id, key, 30))).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers
        .iter()
        .partition(|answer| answer.status == StatusCode::CREATED);
    assert_eq!(made.len(), 3, "{answers:?}");
    for answer in refused {
        assert_problem(answer, 422, "refund-too-large");
    }
    assert_eq!(api.account().await.1, 10);
}
