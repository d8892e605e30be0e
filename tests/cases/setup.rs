//! `setup()` and `check()`, from many engines at once and on databases that lack something.

use axum::http::StatusCode;
use futures::future::join_all;
use idem_core::{Error, Idem};
use sqlx::Executor as _;

use super::app::App;
use super::store::Files;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_engines_set_up_one_database() {
    let files = Files::new().await;
    let mut engines = Vec::new();
    for _ in 0..8 {
        engines.push(Idem::new(files.pool(2).await).unwrap());
    }
    for done in join_all(engines.iter().map(Idem::setup)).await {
        done.unwrap();
    }
    let pool = files.pool(1).await;
    let versions: i64 = sqlx::query_scalar("SELECT count(*) FROM idem_version")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(versions, 1);
    for engine in &engines {
        engine.check().await.unwrap();
    }
}

#[tokio::test]
async fn setting_up_again_changes_nothing() {
    let app = App::new().await;
    let first = app.post("k1", 1).await;
    app.idem.setup().await.unwrap();
    let again = app.neighbour(|builder| builder.cache(0)).await;
    let replay = idem_test_support::http::send(&again, super::stage::post("/op", "k1", 1)).await;
    replay.assert_replays(&first);
}

#[tokio::test]
async fn missing_tables_are_said_to_be_missing() {
    let files = Files::new().await;
    let pool = files.pool(2).await;
    let idem = Idem::new(pool.clone()).unwrap();
    let refused = idem.check().await.unwrap_err();
    assert!(matches!(refused, Error::NotReady { .. }), "{refused:?}");
    assert!(refused.to_string().contains("run `setup()`"), "{refused}");
    // A request meets the same, and does not run.
    let app = App::on(files, pool, idem);
    let answer = app.post("k1", 1).await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(
        answer.problem_type().as_deref(),
        Some("urn:idem:error:not-ready")
    );
    assert_eq!(app.script.runs.count(), 0);
    // Once they exist, the same engine works.
    app.idem.setup().await.unwrap();
    app.pool
        .execute("CREATE TABLE effect (run BIGINT NOT NULL)")
        .await
        .unwrap();
    assert_eq!(app.post("k1", 1).await.status, StatusCode::CREATED);
}

/// A pool that was closed is an outage, not a reason to run.
#[tokio::test]
async fn a_closed_pool_is_unavailable() {
    let app = App::new().await;
    app.pool.close().await;
    let answer = app.post("k1", 1).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(matches!(
        app.idem.check().await,
        Err(Error::Unavailable { .. })
    ));
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused() {
    let files = Files::new().await;
    let pool = files.pool(1).await;
    let zero = Idem::builder(pool.clone())
        .timeout(std::time::Duration::ZERO)
        .build();
    assert!(matches!(zero, Err(Error::NotReady { .. })));
    for url in ["", "not a url", "https://a/<b>", "https://a/\r\nx: y"] {
        let refused = Idem::builder(pool.clone()).docs_url(url).build();
        assert!(matches!(refused, Err(Error::NotReady { .. })), "{url:?}");
    }
}
