//! What an operation costs PostgreSQL: statements, write-ahead log, dead rows.
//!
//! Statements are read from the server's own log, for sessions that log them all. Log bytes are
//! what the server's position in its log moved by; no checkpoint falls into the measurement, so
//! whole-page images do not blur it.

use std::path::Path;
use std::time::Duration;

use idem_test_support::postgres::{PrivateServer, TestDatabase};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgPool};

use crate::call::Call;
use crate::measure::{count, perform};
use crate::on_postgres::variants;
use crate::options::Options;
use crate::report::Table;
use crate::stage::{CONNECTIONS, Stage};
use crate::subject::{Subject, Variant, Way};

/// Operations after which statements are prepared and sizes have settled.
const WARM_UP: usize = 500;

pub(crate) async fn run(stage: &Stage, options: &Options) {
    if !options.wants("cost/postgres") {
        return;
    }
    let server = stage.postgres().await;
    let mut costs = Table::new(
        "PostgreSQL: cost of a first execution",
        [
            "variant",
            "statements",
            "log bytes",
            "over a",
            "dead rows per 1,000",
        ],
    );
    let mut statements = Table::new(
        "PostgreSQL: statements of one operation",
        ["operation", "statements"],
    );
    let mut bare = None;
    for (name, variant) in [
        ("a", Variant::Bare),
        ("b", Variant::ByHand),
        ("c", Variant::Attribute),
    ] {
        let first = logged(server, variant, false).await;
        let (log_bytes, dead_rows) = written(server, variant, options.operations).await;
        let over = log_bytes - *bare.get_or_insert(log_bytes);
        costs.row([
            name.to_owned(),
            first.len().to_string(),
            format!("{log_bytes:.0}"),
            format!("{over:+.0}"),
            dead_rows,
        ]);
        statements.row([format!("{name}, first"), first.join(", ")]);
    }
    for (name, variant) in [
        ("b, replay", Variant::ByHand),
        ("c, replay in memory", Variant::Attribute),
        ("c, replay from the database", Variant::Uncached),
    ] {
        let replay = logged(server, variant, true).await;
        statements.row([name.to_owned(), replay.join(", ")]);
    }
    costs.print();
    statements.print();
}

/// The statements of one operation of a warm handler, or of a replay, in a session that logs all.
async fn logged(server: &PrivateServer, variant: Variant, again: bool) -> Vec<String> {
    let database = server.database().await;
    let options = database.options().options([("log_statement", "all")]);
    let mark = format!(" {} LOG:  ", database.name());
    let pool = pool(options, 1).await;
    let subject = variants::subject(variant, pool, Box::new(database)).await;
    let mut client = subject.client(Way::Engine).await;
    let mut call = Call::fresh();
    for _ in 0..10 {
        client.send(&call).await;
        client.send(&call).await;
        call = Call::fresh();
    }
    if again {
        client.send(&call).await;
    }
    // A dropped transaction is rolled back by the pool, after the answer.
    settle(&subject).await;
    let log = server.log_path().expect("a private server has a log");
    let before = read(log).len();
    let answer = client.send(&call).await;
    assert!(answer.is_created(), "a request failed: {answer:?}");
    settle(&subject).await;
    let text = read(log).split_off(before);
    let entries = text.split(&mark).skip(1);
    entries.filter_map(statement).map(brief).collect()
}

async fn settle(subject: &Subject) {
    while subject.busy_connections() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn read(log: &Path) -> String {
    let bytes = std::fs::read(log).expect("the log can be read");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The statement of a log entry, if it holds one; details of parameters do not.
fn statement(entry: &str) -> Option<&str> {
    let (kind, text) = entry.split_once(": ")?;
    (kind == "statement" || kind.starts_with("execute ")).then_some(text.trim_start())
}

/// The verb, and the table or function it is about.
fn brief(statement: &str) -> String {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let after = |word: &str| {
        let at = words.iter().position(|one| *one == word)?;
        let name = words.get(at + 1)?.split('(').next()?;
        name.rsplit('.').next()
    };
    let verb = words.first().copied().unwrap_or_default();
    let subject = match verb {
        "INSERT" => after("INTO"),
        "UPDATE" => after("UPDATE"),
        "SELECT" | "DELETE" => after("FROM"),
        _ => None,
    };
    match subject {
        Some(subject) => format!("{verb} {subject}"),
        None => verb.trim_end_matches(';').to_owned(),
    }
}

/// Log bytes an operation, and the dead rows that `operations` leave in the table of records.
async fn written(server: &PrivateServer, variant: Variant, operations: usize) -> (f64, String) {
    let database = server.database().await;
    let pool = pool(database.options(), CONNECTIONS).await;
    let subject = variants::subject(variant, pool.clone(), Box::new(())).await;
    perform(&subject, CONNECTIONS as usize, WARM_UP).await;
    let before = position(&database).await;
    perform(&subject, CONNECTIONS as usize, operations).await;
    let bytes = position(&database).await - before;
    // Sessions report what they did to tables when they end.
    pool.close().await;
    let table = match variant {
        Variant::Bare => None,
        Variant::ByHand | Variant::ByHandAgain => Some("idempotency"),
        Variant::Attribute | Variant::Uncached => Some("idem_record"),
    };
    let dead_rows = match table {
        None => "-".to_owned(),
        Some(table) => {
            let dead = dead_rows(&database, table, WARM_UP + operations).await;
            format!("{:.0}", dead * 1_000.0 / count(WARM_UP + operations))
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2 to the 52nd")]
    let bytes = bytes as f64;
    (bytes / count(operations), dead_rows)
}

async fn pool(options: PgConnectOptions, connections: u32) -> PgPool {
    let pool = PgPoolOptions::new().max_connections(connections);
    let pool = pool.connect_with(options);
    pool.await.expect("PostgreSQL can be reached")
}

/// How much the server has written to its log so far, in bytes.
async fn position(database: &TestDatabase) -> i64 {
    let mut connection = database.connection().await;
    sqlx::query_scalar("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
        .fetch_one(&mut connection)
        .await
        .expect("the server knows its position")
}

/// The dead rows of a table, once the statistics have all its live ones.
async fn dead_rows(database: &TestDatabase, table: &str, live: usize) -> f64 {
    let mut connection = database.connection().await;
    let sql = "SELECT n_live_tup, n_dead_tup FROM pg_stat_user_tables WHERE relname = $1";
    for _ in 0..500 {
        sqlx::query("SELECT pg_stat_force_next_flush()")
            .execute(&mut connection)
            .await
            .expect("statistics can be flushed");
        let (n_live, n_dead): (i64, i64) = sqlx::query_as(sql)
            .bind(table)
            .fetch_one(&mut connection)
            .await
            .expect("there are statistics");
        if usize::try_from(n_live).is_ok_and(|n_live| n_live >= live) {
            connection
                .close()
                .await
                .expect("a connection can be closed");
            return count(usize::try_from(n_dead).unwrap_or(0));
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the statistics of {table} never had {live} rows");
}
