//! Ends of a server, asked for and not, and what a retry meets afterwards.

use std::time::{Duration, Instant};

use idem_test_support::postgres;
use nix::sys::signal::Signal;
use reqwest::StatusCode;

use crate::database::Database;
use crate::server::{Server, assert_problem, payment, slow_payment, with};

crate::on_both_databases! {
    answers_outlive_a_kill_of_the_server
    a_payment_killed_between_its_writes_is_made_by_the_retry_at_once
    sigterm_lets_a_running_payment_finish
    ctrl_c_lets_a_payment_finish_that_nobody_waits_for
    a_client_that_hangs_up_gets_the_answer_later
}

/// The engine's default `wait`: a key that was still held would cost a retry this long.
const WAIT: Duration = Duration::from_secs(5);

async fn answers_outlive_a_kill_of_the_server(database: Database) {
    let server = Server::start(&database).await;
    let declined = with(payment(1), "card", "tok_declined");
    let first = server.api().pay("k1", &payment(1200)).await;
    let refused = server.api().pay("k2", &declined).await;
    server.kill9().await;

    let server = Server::start(&database).await;
    let api = server.api();
    api.pay("k1", &payment(1200)).await.assert_replays(&first);
    api.pay("k2", &declined).await.assert_replays(&refused);
    assert_problem(&api.pay("k1", &payment(1300)).await, 422, "idem:key-reused");
    api.assert_has_one_payment_of(1200).await;
}

async fn a_payment_killed_between_its_writes_is_made_by_the_retry_at_once(database: Database) {
    let mut server = Server::start(&database).await;
    let body = slow_payment(1200, 2000);
    let lost = server.api().start_paying("k1", &body);
    server.is_between_the_writes().await;
    server.kill9().await;
    lost.outcome()
        .await
        .expect_err("a killed server answers nobody");

    let server = Server::start(&database).await;
    let api = server.api();
    assert_eq!(api.account().await, (vec![], 0));
    let started = Instant::now();
    let retry = api.pay("k1", &body).await;
    assert_eq!(retry.status, StatusCode::CREATED, "{retry:?}");
    assert!(!retry.is_replay(), "nothing was committed before the kill");
    assert!(
        started.elapsed() < WAIT,
        "the dead server's claim was waited for"
    );
    api.assert_has_one_payment_of(1200).await;
}

async fn sigterm_lets_a_running_payment_finish(database: Database) {
    let mut server = Server::start(&database).await;
    let api = server.api();
    let body = slow_payment(1200, 1500);
    let running = api.start_paying("k1", &body);
    server.is_between_the_writes().await;
    server.signal(Signal::SIGTERM);
    server.is_stopping().await;
    // Refused by the engine, or by a socket that is closed already.
    if let Ok(fresh) = api.try_post("/payments", "k2", &payment(1)).await {
        assert_problem(&fresh, 503, "idem:draining");
    }
    let mut first = running.answer().await;
    assert_eq!(first.status, StatusCode::CREATED);
    // It belongs to the connection, which ends with its server.
    first.headers.remove("connection");
    assert_eq!(server.ended().await.code(), Some(0), "{}", server.output());

    let server = Server::start(&database).await;
    server.api().pay("k1", &body).await.assert_replays(&first);
    server.api().assert_has_one_payment_of(1200).await;
}

async fn ctrl_c_lets_a_payment_finish_that_nobody_waits_for(database: Database) {
    let mut server = Server::start(&database).await;
    let body = slow_payment(1200, 1500);
    let running = server.api().start_paying("k1", &body);
    server.is_between_the_writes().await;
    running.hang_up().await;
    server.signal(Signal::SIGINT);
    assert_eq!(server.ended().await.code(), Some(0), "{}", server.output());

    let server = Server::start(&database).await;
    server.api().assert_has_one_payment_of(1200).await;
    let retry = server.api().pay("k1", &body).await;
    assert!(retry.is_replay(), "{retry:?}");
}

async fn a_client_that_hangs_up_gets_the_answer_later(database: Database) {
    let mut server = Server::start(&database).await;
    let api = server.api();
    let body = slow_payment(1200, 1000);
    let running = api.start_paying("k1", &body);
    server.is_between_the_writes().await;
    running.hang_up().await;
    let retry = api.pay("k1", &body).await;
    assert_eq!(retry.status, StatusCode::CREATED);
    assert!(retry.is_replay(), "the payment was made again: {retry:?}");
    api.assert_has_one_payment_of(1200).await;
}

#[tokio::test]
async fn answers_outlive_a_kill_of_postgres() {
    let postgres = postgres::Server::private().await;
    let database = Database::of(&postgres).await;
    let (server, other) = tokio::join!(Server::start(&database), Server::start(&database));
    let first = server.api().pay("k1", &payment(1200)).await;
    postgres.kill9().await;
    postgres.restart().await;
    // The one knows the answer still, the other has to ask.
    for api in [server.api(), other.api()] {
        api.pay("k1", &payment(1200)).await.assert_replays(&first);
        api.assert_has_one_payment_of(1200).await;
    }
    let next = server.api().pay("k2", &payment(1)).await;
    assert_eq!(next.status, StatusCode::CREATED, "{next:?}");
}
