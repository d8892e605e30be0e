//! The statements, with the schema's name in them.

use std::sync::Arc;

use sqlx::{AssertSqlSafe, PgConnection, SqlSafeStr, SqlStr};

use super::faults::failed;
use crate::error::{Error, Result};
use crate::store::sql::Phase;

/// A transaction's own birth: constant within it, different in any other. A double holds today's
/// microseconds exactly and costs the server a division; the numeric of `extract` costs far more.
pub(super) const BIRTH: &str = "date_part('epoch', now())";

/// Fails with `invalid_text_representation` and this text. Made from a time, so that planning cannot
/// evaluate it beforehand.
pub(super) const ENDED: &str =
    "int4send((left(now()::text, 0) || 'the transaction of the claim has ended')::integer)";

/// The schema that holds the tables, and the newest migration applied.
pub(super) const FIND: &str = "SELECT c.relnamespace::regnamespace::text
      FROM pg_class c WHERE c.oid = to_regclass('idem_record')";

pub(super) const TABLES_MISSING: &str = "the table `idem_record` is not in the search path; run `setup()`, \
                              or the files under idem-core/migrations/postgres";

/// The statements, with the schema's name in them: whatever `search_path` a body or a pooled
/// connection has, records are read and written in one place.
#[derive(Debug)]
pub(super) struct Statements {
    pub(super) claim: SqlStr,
    /// For a key that has no record.
    pub(super) record: SqlStr,
    /// For a key whose record has expired.
    pub(super) replace: SqlStr,
    pub(super) forget: SqlStr,
    pub(super) version: SqlStr,
    pub(super) rights: SqlStr,
    pub(super) read_only: SqlStr,
    pub(super) end_backend: SqlStr,
}

impl Statements {
    /// For the schema that holds the tables.
    pub(super) async fn find(connection: &mut PgConnection) -> Result<Self> {
        let schema: Option<String> = sqlx::query_scalar(FIND)
            .fetch_optional(connection)
            .await
            .map_err(|error| failed(Phase::Claim, error))?;
        let schema = schema.ok_or_else(|| Error::not_ready(TABLES_MISSING))?;
        Ok(Statements::new(&schema))
    }

    /// `schema` is quoted by the database where it needs to be.
    pub(super) fn new(schema: &str) -> Self {
        let sql = |text: String| AssertSqlSafe(Arc::<str>::from(text)).into_sql_str();
        // An error in a transaction that is not the claim's: a WHERE would cost each operation more,
        // and an error of a constraint would show the row in the server's log. No row if a rival
        // recorded first (where advisory locks mean nothing); one that has not committed is waited
        // for.
        let insert = format!(
            "INSERT INTO {schema}.idem_record AS r
                (id, scope, key, fingerprint, memo, completed_at, expires_at)
             VALUES (CASE WHEN {BIRTH} = $7 THEN $1 ELSE {ENDED} END, $2, $3, $4, $5, clock_timestamp(),
                     coalesce(clock_timestamp() + $6, 'infinity'))"
        );
        Statements {
            claim: sql(format!(
                "SELECT {schema}.idem_claim_v1($1, $2, $3), {BIRTH}, pg_backend_pid()"
            )),
            record: sql(format!("{insert} ON CONFLICT (id) DO NOTHING")),
            replace: sql(format!(
                "{insert} ON CONFLICT (id) DO UPDATE
                    SET scope = excluded.scope, key = excluded.key,
                        fingerprint = excluded.fingerprint, memo = excluded.memo,
                        completed_at = excluded.completed_at, expires_at = excluded.expires_at
                  WHERE r.expires_at <= clock_timestamp()"
            )),
            forget: sql(format!("DELETE FROM {schema}.idem_record WHERE id = $1")),
            version: sql(format!(
                "SELECT coalesce(max(version), 0) FROM {schema}.idem_version"
            )),
            // Each privilege by itself: a list of them asks for any.
            rights: sql(format!(
                "SELECT bool_and(has_table_privilege('{table}', privilege))
                        AND has_function_privilege('{function}', 'EXECUTE')
                   FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege",
                table = literal(&format!("{schema}.idem_record")),
                function = literal(&format!("{schema}.idem_claim_v1(bigint, bigint, bytea)")),
            )),
            // Only while it still holds this very key: its process id may be another's by then.
            end_backend: sql(format!(
                "SELECT pg_terminate_backend(pid) FROM pg_locks
                  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid = $2
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND (classid::bigint << 32 | objid::bigint)
                        = ($1 # ('{table}'::regclass::oid::bigint << 32))",
                table = literal(&format!("{schema}.idem_record")),
            )),
            read_only: "SELECT current_setting('default_transaction_read_only') = 'on'"
                .into_sql_str(),
        }
    }
}

/// The inside of a string literal.
fn literal(text: &str) -> String {
    text.replace('\'', "''")
}
