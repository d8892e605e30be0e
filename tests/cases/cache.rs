//! The memo cache: other inputs, expiry, neighbours, `forget`, and what was rolled back.

use axum::http::StatusCode;
use idem_test_support::http::send;

use super::app::{App, OP};
use super::stage::{Plan, Step, post, post_as};
use super::store::EXPIRE;

/// Deletes every record behind the engine's back, so that only the cache can still answer.
async fn lose_records(app: &App) {
    sqlx::query("DELETE FROM idem_record")
        .execute(&app.pool)
        .await
        .unwrap();
}

/// How many records are live by the database's own clock.
async fn live(app: &App) -> i64 {
    sqlx::query_scalar(super::store::LIVE)
        .fetch_one(&app.pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_replay_that_comes_back_soon_asks_no_database() {
    let app = App::new().await;
    let first = app.post("k1", 1).await;
    lose_records(&app).await;
    app.post("k1", 1).await.assert_replays(&first);
    assert_eq!(app.script.runs.count(), 1);
}

/// case K07: the cache compares inputs like every other path.
#[tokio::test]
async fn other_inputs_are_refused_from_the_cache_too() {
    let app = App::new().await;
    app.post("k1", 1).await;
    lose_records(&app).await;
    assert_eq!(
        app.post("k1", 2).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    let other = app.send(post_as("t2", "/op", "k1", 1)).await;
    assert!(!other.is_replay() && other.status == StatusCode::CREATED);
}

/// An answer read back from the store is kept no longer than its record.
#[tokio::test]
async fn an_entry_read_from_the_store_expires_with_its_record() {
    let app = App::new().await;
    let first = app.post("k1", 1).await;
    let neighbour = app.neighbour(|builder| builder).await;
    sqlx::query(super::store::EXPIRE_IN_300_MS)
        .execute(&app.pool)
        .await
        .unwrap();
    send(&neighbour, post("/op", "k1", 1))
        .await
        .assert_replays(&first);
    // The database's own clock says when it is over.
    while live(&app).await > 0 {
        tokio::task::yield_now().await;
    }
    let again = send(&neighbour, post("/op", "k1", 1)).await;
    assert!(!again.is_replay());
    assert_eq!(app.effects().await, 2);
}

/// case O07: an engine on another database, or of another namespace, shares nothing.
#[tokio::test]
async fn engines_do_not_share_answers() {
    let app = App::new().await;
    let stranger = App::new().await;
    let first = app.post("k1", 1).await;
    let other = stranger.post("k1", 2).await;
    assert!(!other.is_replay() && other.status == first.status);
    let eu = app.neighbour(|builder| builder.namespace("eu")).await;
    let apart = send(&eu, post("/op", "k1", 3)).await;
    assert!(!apart.is_replay() && apart.status == StatusCode::CREATED);
    assert_eq!((app.effects().await, stranger.effects().await), (2, 1));
}

#[tokio::test]
async fn a_forgotten_key_is_free_at_once_in_this_process() {
    let app = App::new().await;
    let first = app.post("k1", 1).await;
    assert!(app.idem.forget(OP, ("t1", "k1")).await.unwrap());
    assert!(!app.idem.forget(OP, ("t1", "k1")).await.unwrap());
    assert!(!app.idem.forget(OP, ("t1", "other")).await.unwrap());
    let second = app.post("k1", 2).await;
    assert!(!second.is_replay() && second.body != first.body);
    assert_eq!(app.effects().await, 2);
}

#[tokio::test]
async fn what_was_rolled_back_is_not_kept() {
    let app = App::new().await;
    app.script
        .next(Plan::ok(503))
        .next(Plan::ok(201).steps([Step::Write, Step::Panic]));
    assert_eq!(
        app.post("k1", 1).await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    assert_eq!(
        app.post("k1", 1).await.status,
        StatusCode::INTERNAL_SERVER_ERROR
    );
    let third = app.post("k1", 1).await;
    assert!(third.status == StatusCode::CREATED && !third.is_replay());
    assert_eq!(app.effects().await, 1);
}

/// Without a cache every replay comes from the store, and expiry is seen at once.
#[tokio::test]
async fn a_cache_of_no_bytes_is_off() {
    let app = App::with(20, |builder| builder.cache(0)).await;
    let first = app.post("k1", 1).await;
    app.post("k1", 1).await.assert_replays(&first);
    sqlx::query(EXPIRE).execute(&app.pool).await.unwrap();
    assert!(!app.post("k1", 1).await.is_replay());
}

/// A short ttl ends an entry before the cache's own 60 seconds.
#[tokio::test]
async fn an_entry_ends_with_its_ttl() {
    let app = App::new().await;
    let first = app.send(post("/fleeting", "k1", 1)).await;
    assert_eq!(first.status, StatusCode::CREATED);
    let over = async {
        while live(&app).await > 0 {
            tokio::task::yield_now().await;
        }
    };
    idem_test_support::patience::soon("the ttl of one second", over).await;
    let again = app.send(post("/fleeting", "k1", 1)).await;
    assert!(again.status == StatusCode::CREATED && !again.is_replay());
    assert_eq!(app.effects().await, 2);
}
