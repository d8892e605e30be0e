//! Starting: the first start, many at once, and what a wrong environment is told.

use std::process::Command;

use futures::future::join_all;
use idem_test_support::process::Child;

use crate::database::Database;
use crate::server::{Server, command, payment};

crate::on_both_databases! {
    eight_processes_start_at_once_on_a_new_database
}

async fn eight_processes_start_at_once_on_a_new_database(database: Database) {
    let servers = join_all((0..8).map(|_| Server::start(&database))).await;
    let first = servers[0].api().pay("k1", &payment(1200)).await;
    for server in &servers[1..] {
        server
            .api()
            .pay("k1", &payment(1200))
            .await
            .assert_replays(&first);
    }
    servers[7].api().assert_has_one_payment_of(1200).await;
}

#[tokio::test]
async fn without_any_settings_it_serves_a_file_in_the_working_directory() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(&[]);
    // The default port may be taken on this machine.
    command.current_dir(folder.path()).env("PORT", "0");
    let server = Server::ready(Child::start(command)).await;
    server.api().pay("k1", &payment(1200)).await;
    server.api().assert_has_one_payment_of(1200).await;
    assert!(folder.path().join("payments.sqlite").exists());

    // Printed in one go with the address.
    let curls = server
        .output()
        .lines()
        .filter(|line| line.starts_with("curl "))
        .count();
    assert_eq!(curls, 4, "{}", server.output());
}

/// Starts `command`, which is to fail, and gives what it said.
async fn refusal(command: Command) -> String {
    let mut child = Child::start(command);
    assert_eq!(child.ended().await.code(), Some(1), "{}", child.output());
    child.output()
}

#[tokio::test]
async fn a_wrong_environment_is_explained() {
    let told = |features: &'static [&str], name, value: &'static str| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(features);
        command
            .current_dir(folder.path())
            .env("PORT", "0")
            .env(name, value);
        async move {
            let told = refusal(command).await;
            assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
            assert!(!told.contains("secret"), "{told}");
            told
        }
    };
    let postgres = "postgres://me:secret@localhost/payments";
    let text = told(&[], "DATABASE_URL", postgres).await;
    assert!(
        text.contains("cargo run --bin payments --features postgres"),
        "{text}"
    );
    let text = told(&[], "DATABASE_URL", "mysql://me:secret@localhost/payments").await;
    assert!(
        text.contains("must start with `sqlite:` or `postgres:`"),
        "{text}"
    );
    let text = told(&[], "PORT", "http").await;
    assert!(text.contains("PORT is `http`"), "{text}");
    // Nobody listens there.
    let nowhere = "postgres://me:secret@127.0.0.1:1/payments";
    let text = told(&["postgres"], "DATABASE_URL", nowhere).await;
    assert!(text.starts_with("payments: "), "{text}");
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(&[]);
    command.current_dir(folder.path()).env("PORT", &port);
    let text = refusal(command).await;
    assert!(
        text.contains(&format!("port {port} cannot be used")),
        "{text}"
    );
}
