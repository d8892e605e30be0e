//! SQLite, as the variants see it.

pub(crate) use sqlx::Sqlite as Db;

/// How a bare or hand-written handler begins its transaction. A deferred one fails at once when it
/// turns into a writer behind another's back (<https://www.sqlite.org/lang_transaction.html>).
pub(crate) const BEGIN: &str = "BEGIN IMMEDIATE";

/// The shop's tables, and the table of a hand-written handler.
pub(crate) const TABLES: &str = "
    CREATE TABLE payment (
        id INTEGER PRIMARY KEY,
        merchant_id INTEGER NOT NULL,
        order_ref TEXT NOT NULL,
        amount INTEGER NOT NULL,
        currency TEXT NOT NULL
    ) STRICT;
    CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL) STRICT;
    WITH RECURSIVE one (id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM one WHERE id < 9999)
        INSERT INTO account SELECT id, 0 FROM one;
    CREATE TABLE idempotency (
        user_id INTEGER NOT NULL,
        idempotency_key TEXT NOT NULL,
        response_status INTEGER,
        response_headers BLOB,
        response_body BLOB,
        created_at INTEGER NOT NULL DEFAULT (unixepoch()),
        PRIMARY KEY (user_id, idempotency_key)
    ) STRICT, WITHOUT ROWID;
";
