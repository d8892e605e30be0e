//! PostgreSQL: connecting and creating the tables, also when others do so at the same moment.

use sqlx::{Connection, Executor, PgConnection, PgPool};

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS payments (
        ordinal BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        merchant TEXT NOT NULL,
        order_text TEXT NOT NULL,
        amount BIGINT NOT NULL CHECK (amount > 0),
        currency TEXT NOT NULL,
        refunded BIGINT NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND amount)
    );
    CREATE INDEX IF NOT EXISTS payments_of_merchant ON payments (merchant, ordinal);
    CREATE TABLE IF NOT EXISTS balances (
        merchant TEXT PRIMARY KEY,
        balance BIGINT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS refunds (
        id TEXT PRIMARY KEY,
        payment TEXT NOT NULL REFERENCES payments (id),
        amount BIGINT NOT NULL CHECK (amount > 0)
    );";

/// `IF NOT EXISTS` alone fails when two sessions create one table at once; the number is arbitrary.
/// <https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS>
const ONE_AT_A_TIME: &str = "SELECT pg_advisory_xact_lock(5027195503814362001)";

/// Connects, and creates what is missing.
pub(crate) async fn open(url: &str) -> sqlx::Result<PgPool> {
    // A pool goes on trying to reach a server that is down; whoever starts this wants to know.
    let mut connection = PgConnection::connect(url).await?;
    let mut transaction = connection.begin().await?;
    transaction.execute(ONE_AT_A_TIME).await?;
    transaction.execute(TABLES).await?;
    transaction.commit().await?;
    connection.close().await?;
    PgPool::connect(url).await
}
