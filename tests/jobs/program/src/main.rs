//! A shop as a process that tests kill: `jobs-shop pay URL COUNT` pays, each payment enqueueing an
//! invoice, and `jobs-shop work URL` sends the invoices, one after the other.

#![allow(
    clippy::duplicate_mod,
    reason = "each database is compiled into the same files"
)]

use std::error::Error;

#[path = "."]
mod on_postgres {
    use std::error::Error;

    use apalis_postgres::{Config, PostgresStorage as Storage};
    use sqlx::postgres::PgPoolOptions;
    pub(super) use sqlx::{PgPool as Pool, Postgres as Db};

    pub(super) async fn connect(url: &str) -> Result<Pool, Box<dyn Error>> {
        let options = PgPoolOptions::new().max_connections(12);
        Ok(options.connect(url).await?)
    }

    #[path = "pay.rs"]
    pub(super) mod pay;
    #[path = "work.rs"]
    pub(super) mod work;
}

#[path = "."]
mod on_sqlite {
    use std::error::Error;

    use apalis_sqlite::{Config, SqliteStorage as Storage};
    use idem_test_support::patience::PATIENCE;
    use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
    pub(super) use sqlx::{Sqlite as Db, SqlitePool as Pool};

    pub(super) async fn connect(url: &str) -> Result<Pool, Box<dyn Error>> {
        let options = url
            .parse::<SqliteConnectOptions>()?
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(PATIENCE);
        let pool = SqlitePoolOptions::new().max_connections(12);
        Ok(pool.connect_with(options).await?)
    }

    #[path = "pay.rs"]
    pub(super) mod pay;
    #[path = "work.rs"]
    pub(super) mod work;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_postgres = |url: &str| url.starts_with("postgres");
    match arguments[..] {
        ["pay", url, count] if is_postgres(url) => on_postgres::pay::pay(url, count.parse()?).await,
        ["pay", url, count] => on_sqlite::pay::pay(url, count.parse()?).await,
        ["work", url] if is_postgres(url) => on_postgres::work::work(url).await,
        ["work", url] => on_sqlite::work::work(url).await,
        _ => Err("`jobs-shop pay URL COUNT` or `jobs-shop work URL`".into()),
    }
}
