//! PostgreSQL, as the variants see it.

pub(crate) use sqlx::Postgres as Db;

/// How a bare or hand-written handler begins its transaction.
pub(crate) const BEGIN: &str = "BEGIN";

/// The shop's tables, and the table of a hand-written handler.
///
/// `fillfactor` leaves the accounts' pages room for new row versions, as one would for a table that
/// lives by updates. Empty tables are not analysed: a plan made for a table known to be empty scans
/// it from end to end, and with autovacuum off it would be kept while the table grows.
pub(crate) const TABLES: &str = "
    CREATE TABLE payment (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        merchant_id bigint NOT NULL,
        order_ref text NOT NULL,
        amount bigint NOT NULL,
        currency text NOT NULL
    );
    CREATE TABLE account (id bigint PRIMARY KEY, balance bigint NOT NULL) WITH (fillfactor = 50);
    INSERT INTO account SELECT id, 0 FROM generate_series(0, 9999) AS id;
    CREATE TABLE idempotency (
        user_id bigint NOT NULL,
        idempotency_key text NOT NULL,
        response_status smallint,
        response_headers bytea,
        response_body bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (user_id, idempotency_key)
    );
    ANALYZE account;
";
