//! The proxy in front of a real PostgreSQL: each fault does what it says, when it says.

use std::time::{Duration, Instant};

use idem_test_support::patience::soon;
use idem_test_support::postgres::{TestDatabase, server};
use idem_test_support::proxy::{Fault, Proxy};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

struct Setup {
    database: TestDatabase,
    proxy: Proxy,
    direct: PgPool,
    proxied: PgPool,
}

async fn setup() -> Setup {
    let database = server().await.database().await;
    let proxy = Proxy::start(database.address()).await;
    let direct = database.pool(1).await;
    let proxied = database.pool_at(proxy.address(), 1).await;
    sqlx::raw_sql("CREATE TABLE kept (value integer)")
        .execute(&direct)
        .await
        .unwrap();
    Setup {
        database,
        proxy,
        direct,
        proxied,
    }
}

async fn insert_and_commit(pool: &PgPool, value: i32) -> sqlx::Result<()> {
    let mut tx = pool.begin().await?;
    sqlx::query("INSERT INTO kept VALUES ($1)")
        .bind(value)
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}

async fn kept(pool: &PgPool) -> Vec<i32> {
    sqlx::query_scalar("SELECT value FROM kept ORDER BY value")
        .fetch_all(pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_lost_reply_to_commit_leaves_the_commit_done_and_the_client_in_doubt() {
    let Setup {
        database: _database,
        proxy,
        direct,
        proxied,
    } = setup().await;
    let lost = proxy.on("COMMIT", Fault::LoseReply);
    assert!(!lost.has_fired());

    insert_and_commit(&proxied, 1).await.unwrap_err();
    lost.fired().await;
    assert_eq!(kept(&direct).await, [1]);

    insert_and_commit(&proxied, 2).await.unwrap();
    assert_eq!(kept(&direct).await, [1, 2], "a fault fires once");
}

#[tokio::test]
async fn a_commit_dropped_before_it_was_forwarded_never_happened() {
    let Setup {
        database: _database,
        proxy,
        direct,
        proxied,
    } = setup().await;
    let dropped = proxy.on("COMMIT", Fault::DropBefore);
    insert_and_commit(&proxied, 1).await.unwrap_err();
    dropped.fired().await;
    assert!(kept(&direct).await.is_empty());
}

#[tokio::test]
async fn a_prepared_statement_fires_when_it_runs_and_not_when_it_is_prepared() {
    let Setup {
        database: _database,
        proxy,
        direct,
        proxied,
    } = setup().await;
    // The first run prepares the statement; the second only names it.
    insert_and_commit(&proxied, 1).await.unwrap();
    for value in [2, 3] {
        let lost = proxy.on("INSERT INTO kept", Fault::LoseReply);
        sqlx::query("INSERT INTO kept VALUES ($1)")
            .bind(value)
            .execute(&proxied)
            .await
            .unwrap_err();
        lost.fired().await;
    }
    assert_eq!(kept(&direct).await, [1, 2, 3]);
}

#[tokio::test]
async fn a_held_request_is_forwarded_after_its_release() {
    let Setup {
        database: _database,
        proxy,
        direct,
        proxied,
    } = setup().await;
    let held = proxy.on("COMMIT", Fault::HoldBefore);
    let inserting = tokio::spawn(async move { insert_and_commit(&proxied, 1).await });
    held.fired().await;
    assert!(kept(&direct).await.is_empty());
    held.release();
    soon("the commit", inserting).await.unwrap().unwrap();
    assert_eq!(kept(&direct).await, [1]);
}

#[tokio::test]
async fn a_held_reply_is_that_of_work_already_done() {
    let Setup {
        database: _database,
        proxy,
        direct,
        proxied,
    } = setup().await;
    let held = proxy.on("COMMIT", Fault::HoldReply);
    let inserting = tokio::spawn(async move { insert_and_commit(&proxied, 1).await });
    held.fired().await;
    assert_eq!(kept(&direct).await, [1]);
    assert!(!inserting.is_finished());
    held.release();
    soon("the commit", inserting).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_blackhole_keeps_everything_back_until_it_is_healed() {
    let Setup {
        database: _database,
        proxy,
        direct,
        proxied,
    } = setup().await;
    proxy.blackhole();
    let inserting = tokio::spawn({
        let proxied = proxied.clone();
        async move { insert_and_commit(&proxied, 1).await }
    });
    assert!(kept(&direct).await.is_empty());
    proxy.heal();
    soon("the commit", inserting).await.unwrap().unwrap();
    assert_eq!(kept(&direct).await, [1]);
}

#[tokio::test]
async fn replies_are_delayed_by_what_was_asked_for() {
    let Setup {
        database: _database,
        proxy,
        direct: _direct,
        proxied,
    } = setup().await;
    let delay = Duration::from_millis(50);
    proxy.delay_replies(delay);
    let started = Instant::now();
    sqlx::raw_sql("SELECT 1").execute(&proxied).await.unwrap();
    assert!(started.elapsed() >= delay);
}

#[tokio::test]
async fn severed_connections_end_and_refused_ones_never_begin() {
    let Setup {
        database,
        proxy,
        direct: _direct,
        proxied,
    } = setup().await;
    let mut connection = proxied.acquire().await.unwrap();
    proxy.sever();
    sqlx::raw_sql("SELECT 1")
        .execute(&mut *connection)
        .await
        .unwrap_err();
    drop(connection);
    sqlx::raw_sql("SELECT 1").execute(&proxied).await.unwrap();

    proxy.refuse();
    let fresh = PgPoolOptions::new()
        .acquire_timeout(Duration::from_millis(100))
        .connect_with(database.options_at(proxy.address()))
        .await;
    fresh.unwrap_err();
}

#[tokio::test]
async fn statements_and_round_trips_are_counted() {
    let Setup {
        database: _database,
        proxy,
        direct: _direct,
        proxied,
    } = setup().await;
    insert_and_commit(&proxied, 1).await.unwrap();
    proxy.forget_seen();
    insert_and_commit(&proxied, 2).await.unwrap();
    assert_eq!(
        proxy.statements(),
        ["BEGIN", "INSERT INTO kept VALUES ($1)", "COMMIT"]
    );
    assert_eq!(proxy.round_trips(), 3);
}

#[tokio::test]
async fn a_raw_proxy_loses_the_reply_of_any_protocol() {
    use axum::{Router, routing::get};
    use idem_test_support::counter::Counter;
    use idem_test_support::http::Served;

    let runs = Counter::new();
    let counted = runs.clone();
    let router = Router::new().route("/work", get(async move || counted.add().to_string()));
    let served = Served::start(router).await;
    let proxy = Proxy::start_raw(served.address()).await;
    let url = format!("http://{}/work", proxy.address());

    let lost = proxy.on("GET /work", Fault::LoseReply);
    // A client of its own for each call, as a kept-alive connection would be tried again.
    reqwest::Client::new().get(&url).send().await.unwrap_err();
    lost.fired().await;
    assert_eq!(runs.count(), 1);
    let answer = reqwest::Client::new().get(&url).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "2");
}
