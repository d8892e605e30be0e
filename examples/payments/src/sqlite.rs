//! SQLite: opening the file and creating its tables, also when others do so at the same moment.

use std::str::FromStr;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use sqlx::{Connection, Executor, SqliteConnection, SqlitePool};

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS payments (
        ordinal INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        merchant TEXT NOT NULL,
        order_text TEXT NOT NULL,
        amount INTEGER NOT NULL CHECK (amount > 0),
        currency TEXT NOT NULL,
        refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND amount)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS payments_of_merchant ON payments (merchant, ordinal);
    CREATE TABLE IF NOT EXISTS balances (
        merchant TEXT PRIMARY KEY,
        balance INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS refunds (
        id TEXT PRIMARY KEY,
        payment TEXT NOT NULL REFERENCES payments (id),
        amount INTEGER NOT NULL CHECK (amount > 0)
    ) STRICT;";

/// How long to wait for other processes that open the same new file.
const PATIENCE: Duration = Duration::from_secs(30);

/// Opens the database, creating what is missing.
pub(crate) async fn open(url: &str) -> sqlx::Result<SqlitePool> {
    // WAL lets readers and the writer work side by side; idem asks for it.
    let options = SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal);
    let deadline = Instant::now() + PATIENCE;
    while let Err(error) = prepare(&options).await {
        // Turning WAL on needs the whole file, and does not wait for it as other statements do.
        if !is_busy(&error) || Instant::now() > deadline {
            return Err(error);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    SqlitePoolOptions::new().connect_with(options).await
}

async fn prepare(options: &SqliteConnectOptions) -> sqlx::Result<()> {
    let mut connection = SqliteConnection::connect_with(options).await?;
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    transaction.execute(TABLES).await?;
    transaction.commit().await?;
    connection.close().await
}

/// <https://www.sqlite.org/rescode.html#busy>; the low byte is the primary code.
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    let code = code.and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == 5)
}
