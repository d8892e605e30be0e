//! Servers whose clocks are wrong: only the database's clock says when a key expires.

use std::process::Command;

use idem_test_support::process::Child;
use sqlx::Executor as _;

use crate::database::Database;
use crate::server::{Server, command, payment};

/// A server whose clock is off, on this database.
async fn off_by(offset: &str, database: &Database) -> Server {
    let mut server = command(&["postgres"]);
    // What faketime would set for it; as its child, the server would outlive a killed faketime.
    for name in ["LD_PRELOAD", "FAKETIME"] {
        let asked = Command::new("faketime")
            .args(["-f", offset, "printenv", name])
            .output()
            .expect("faketime is installed");
        let value = String::from_utf8(asked.stdout).expect("a path or an offset is text");
        server.env(name, value.trim());
    }
    server
        .env("DATABASE_URL", database.url())
        .env("PORT", "0")
        .env("RUST_LOG", "info");
    Server::ready(Child::start(server)).await
}

/// case T04: two servers, 10 minutes ahead and behind.
#[tokio::test]
async fn the_databases_clock_decides_for_servers_that_are_ahead_and_behind() {
    let Database::Postgres(postgres) = Database::postgres().await else {
        unreachable!()
    };
    let pool = postgres.pool(1).await;
    let database = Database::Postgres(postgres);
    let behind = off_by("-10m", &database).await;
    let first = behind.api().pay("k1", &payment(1200)).await;
    let ahead = off_by("+10m", &database).await;
    ahead
        .api()
        .pay("k1", &payment(1200))
        .await
        .assert_replays(&first);
    // Five minutes to live: over for whoever is ahead, if its own clock counted.
    pool.execute("UPDATE idem_record SET expires_at = now() + interval '5 minutes'")
        .await
        .unwrap();
    let ahead = off_by("+10m", &database).await;
    ahead
        .api()
        .pay("k1", &payment(1200))
        .await
        .assert_replays(&first);
    // Five minutes dead: alive for whoever is behind, if its own clock counted.
    pool.execute("UPDATE idem_record SET expires_at = now() - interval '5 minutes'")
        .await
        .unwrap();
    let behind = off_by("-10m", &database).await;
    let second = behind.api().pay("k1", &payment(1200)).await;
    assert!(!second.is_replay() && second.body != first.body);
}
