//! The private PostgreSQL: started, shared, killed, restarted, and gone with its test process.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use idem_test_support::patience::soon;
use idem_test_support::postgres::{Server, TestDatabase, server};
use idem_test_support::process::Child;
use sqlx::{Connection, PgPool};

async fn put(database: &TestDatabase, value: i32) {
    let mut connection = database.connection().await;
    sqlx::raw_sql("CREATE TABLE IF NOT EXISTS kept (value integer)")
        .execute(&mut connection)
        .await
        .unwrap();
    sqlx::query("INSERT INTO kept VALUES ($1)")
        .bind(value)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

async fn kept(pool: &PgPool) -> Vec<i32> {
    sqlx::query_scalar("SELECT value FROM kept ORDER BY value")
        .fetch_all(pool)
        .await
        .unwrap()
}

async fn backend_of(connection: &mut sqlx::PgConnection) -> i32 {
    sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(connection)
        .await
        .unwrap()
}

#[tokio::test]
async fn databases_of_two_tests_are_separate() {
    let (one, other) = (
        server().await.database().await,
        server().await.database().await,
    );
    assert_ne!(one.name(), other.name());
    put(&one, 1).await;
    put(&other, 2).await;
    assert_eq!(kept(&one.pool(1).await).await, [1]);
    assert_eq!(kept(&other.pool(1).await).await, [2]);
}

#[tokio::test]
async fn a_url_opens_the_database_it_was_asked_of() {
    let database = server().await.database().await;
    put(&database, 7).await;
    assert_eq!(
        kept(&PgPool::connect(&database.url()).await.unwrap()).await,
        [7]
    );
}

#[tokio::test]
async fn kill_and_restart_keep_what_was_committed_and_nothing_else() {
    let server = Server::private().await;
    let database = server.database().await;
    put(&database, 1).await;
    let pool = database.pool(2).await;
    let mut open = pool.begin().await.unwrap();
    sqlx::query("INSERT INTO kept VALUES (2)")
        .execute(&mut *open)
        .await
        .unwrap();

    server.kill9().await;
    assert!(
        open.commit().await.is_err(),
        "a transaction outlived its server"
    );
    assert!(
        sqlx::PgConnection::connect(&database.url()).await.is_err(),
        "the server still answers"
    );
    server.restart().await;

    assert_eq!(kept(&pool).await, [1]);
}

#[tokio::test]
async fn a_stopped_server_starts_again_under_its_address() {
    let server = Server::private().await;
    let database = server.database().await;
    put(&database, 1).await;
    server.stop().await;
    server.restart().await;
    server.restart().await;
    put(&database, 2).await;
    assert_eq!(kept(&database.pool(1).await).await, [1, 2]);
}

#[tokio::test]
async fn settings_reach_the_server_and_its_log_can_be_read() {
    let server = Server::private_with(&[("log_statement", "all"), ("timezone", "+13")]).await;
    let mut connection = server.admin_connection().await;
    let marked: i32 = sqlx::query_scalar("SELECT 4711")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(marked, 4711);
    let log = fs::read_to_string(server.log_path().unwrap()).unwrap();
    assert!(log.contains("SELECT 4711"), "{log}");
}

#[tokio::test]
async fn a_terminated_session_is_gone_and_others_stay() {
    let database = server().await.database().await;
    let (mut ended, mut kept) = (database.connection().await, database.connection().await);
    server()
        .await
        .terminate_backend(backend_of(&mut ended).await)
        .await;
    assert!(ended.ping().await.is_err());
    kept.ping().await.unwrap();
}

#[tokio::test]
async fn killing_a_backend_ends_all_sessions_and_the_server_recovers() {
    let server = Server::private().await;
    let database = server.database().await;
    put(&database, 1).await;
    let (mut killed, mut other) = (database.connection().await, database.connection().await);
    server.kill9_backend(backend_of(&mut killed).await).await;
    assert!(killed.ping().await.is_err());
    assert!(other.ping().await.is_err());
    assert_eq!(kept(&database.pool(1).await).await, [1]);
}

#[tokio::test]
async fn a_dropped_server_leaves_neither_process_nor_folder() {
    let server = Server::private().await;
    let folder = server.log_path().unwrap().parent().unwrap().to_owned();
    assert!(folder.join("data").exists());
    drop(server);
    assert!(!folder.exists());
}

const AS_VICTIM: &str = "IDEM_TEST_SUPPORT_VICTIM";

/// Runs only as the child of the next test: starts a server, says where, and never ends.
#[tokio::test]
async fn victim() {
    if env::var_os(AS_VICTIM).is_none() {
        return;
    }
    let server = Server::private().await;
    let folder = server.log_path().unwrap().parent().unwrap().to_owned();
    println!("folder={}", folder.display());
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_test_process_killed_with_signal_9_takes_its_server_along() {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "victim", "--nocapture"])
        .env(AS_VICTIM, "1");
    let mut child = Child::start(command);
    let line = child.line_with("folder=").await;
    let folder = PathBuf::from(line.split_once("folder=").unwrap().1);
    let server = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap();
    let process = PathBuf::from("/proc").join(server.lines().next().unwrap());
    assert!(process.exists());

    child.kill9().await;

    // Another process cleans up, which nothing signals.
    let gone = async {
        while folder.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon("the watchdog to clean up", gone).await;
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    assert!(
        status.is_empty() || status.contains("State:\tZ"),
        "the server lives on: {status}"
    );
}
