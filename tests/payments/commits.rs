//! kill -9 of the server around its COMMIT: before it reaches PostgreSQL, and after it is done.

use idem_test_support::postgres;
use idem_test_support::proxy::{Fault, Proxy};
use reqwest::StatusCode;

use crate::database::Database;
use crate::server::{Server, payment};

/// Kills a server at `fault` of its COMMIT; whether the retry at the next server is a replay.
async fn retried_after(fault: Fault) -> bool {
    let database = postgres::server().await.database().await;
    let proxy = Proxy::start(database.address()).await;
    let through_proxy = database.url_at(proxy.address());
    let database = Database::Postgres(Box::new(database));

    let server = Server::start_at(&through_proxy, "info").await;
    let held = proxy.on("COMMIT", fault);
    let lost = server.api().start_paying("k1", &payment(1200));
    held.fired().await;
    server.kill9().await;
    lost.outcome()
        .await
        .expect_err("a killed server answers nobody");
    proxy.sever();

    let server = Server::start(&database).await;
    let retried = server.api().pay("k1", &payment(1200)).await;
    assert_eq!(retried.status, StatusCode::CREATED, "{}", retried.text());
    server.api().assert_has_one_payment_of(1200).await;
    retried.is_replay()
}

/// case C11: neither the payment nor its answer is there, so the retry makes it.
#[tokio::test]
async fn a_server_killed_before_its_commit_has_done_nothing() {
    assert!(!retried_after(Fault::HoldBefore).await);
}

/// case C09: both are there, so the retry gets the answer nobody got.
#[tokio::test]
async fn a_server_killed_after_its_commit_has_done_all() {
    assert!(retried_after(Fault::HoldReply).await);
}
