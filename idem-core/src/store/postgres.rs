//! PostgreSQL: claims by advisory locks that end with the transaction, one row version a memo.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use sqlx::postgres::types::PgInterval;
use sqlx::{AssertSqlSafe, Database, PgPool, Postgres, Row as _, SqlSafeStr, SqlStr};
use sqlx_core::transaction::TransactionManager;
use tokio::sync::OnceCell;

use super::session::{Savepoint, Session};
use super::sql::{Fault, Phase, bounded, fault, record};
use super::{Attempt, Claim, Record, Store};
use crate::engine::decide::Inputs;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::key::Identity;
use crate::memo::Memo;

type Manager = <Postgres as Database>::TransactionManager;

/// Each file once, in order; the version of a file is its place in this list, from 1.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/postgres/0001_records.sql")];

/// Explicit, since under a default of REPEATABLE READ or SERIALIZABLE the claim's look-up would see
/// the database as it was before its locks.
/// <https://www.postgresql.org/docs/current/transaction-iso.html>
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// A transaction's own birth: constant within it, different in any other. A double holds today's
/// microseconds exactly and costs the server a division; the numeric of `extract` costs far more.
const BIRTH: &str = "date_part('epoch', now())";

/// Fails with `invalid_text_representation` and this text. Made from a time, so that planning cannot
/// evaluate it beforehand.
const ENDED: &str =
    "int4send((left(now()::text, 0) || 'the transaction of the claim has ended')::integer)";

/// Serialises `setup()`; ends with its transaction. The number is arbitrary and fixed.
const SETUP_LOCK: &str = "SELECT pg_advisory_xact_lock(7236124908175501369)";

/// The schema that holds the tables, and the newest migration applied.
const FIND: &str = "SELECT c.relnamespace::regnamespace::text
      FROM pg_class c WHERE c.oid = to_regclass('idem_record')";

const TABLES_MISSING: &str = "the table `idem_record` is not in the search path; run `setup()`, \
                              or the files under idem-core/migrations/postgres";

#[derive(Debug)]
pub struct PostgresStore {
    pool: PgPool,
    statements: OnceCell<Arc<Statements>>,
}

/// The statements, with the schema's name in them: whatever `search_path` a body or a pooled
/// connection has, records are read and written in one place.
#[derive(Debug)]
struct Statements {
    claim: SqlStr,
    /// For a key that has no record.
    record: SqlStr,
    /// For a key whose record has expired.
    replace: SqlStr,
    forget: SqlStr,
    version: SqlStr,
    rights: SqlStr,
    read_only: SqlStr,
    end_backend: SqlStr,
}

impl Statements {
    /// `schema` is quoted by the database where it needs to be.
    fn new(schema: &str) -> Self {
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

impl PostgresStore {
    /// The statements for the schema that holds the tables, found once.
    async fn statements(&self) -> Result<&Arc<Statements>> {
        self.statements
            .get_or_try_init(|| async {
                let schema: Option<String> = sqlx::query_scalar(FIND)
                    .fetch_optional(&self.pool)
                    .await
                    .map_err(|error| failed(Phase::Claim, error))?;
                let schema = schema.ok_or_else(|| Error::not_ready(TABLES_MISSING))?;
                Ok(Arc::new(Statements::new(&schema)))
            })
            .await
    }

    /// Puts a new transaction on `session`'s connection, or on one from the pool.
    async fn open(&self, session: Option<Session<Postgres>>) -> Result<Session<Postgres>> {
        let mut session = match session {
            Some(session) => session,
            None => Session::acquire(&self.pool)
                .await
                .map_err(|error| failed(Phase::Claim, error))?,
        };
        session.unsure = true;
        Manager::begin(&mut session.connection, Some(BEGIN.into_sql_str()))
            .await
            .map_err(|error| failed(Phase::Claim, error))?;
        Ok(session)
    }
}

impl Store for PostgresStore {
    type Db = Postgres;

    fn new(pool: PgPool) -> Result<Self> {
        Ok(PostgresStore {
            pool,
            statements: OnceCell::new(),
        })
    }

    async fn setup(&self) -> Result<()> {
        let setup = async {
            let mut transaction = self.pool.begin_with(BEGIN).await?;
            sqlx::query(SETUP_LOCK).execute(&mut *transaction).await?;
            let schema: Option<String> = sqlx::query_scalar(FIND)
                .fetch_optional(&mut *transaction)
                .await?;
            let applied: i32 = match &schema {
                Some(schema) => {
                    let version = Statements::new(schema).version;
                    sqlx::query_scalar(version)
                        .fetch_one(&mut *transaction)
                        .await?
                }
                None => 0,
            };
            let applied = usize::try_from(applied).unwrap_or(0);
            for migration in MIGRATIONS.iter().skip(applied) {
                sqlx::raw_sql(*migration).execute(&mut *transaction).await?;
            }
            transaction.commit().await
        };
        setup.await.map_err(|error| failed(Phase::Setup, error))?;
        self.check().await
    }

    async fn check(&self) -> Result<()> {
        let statements = self.statements().await?;
        let version: i32 = sqlx::query_scalar(statements.version.clone())
            .fetch_one(&self.pool)
            .await
            .map_err(|error| failed(Phase::Setup, error))?;
        if usize::try_from(version).unwrap_or(0) < MIGRATIONS.len() {
            return Err(Error::not_ready(
                "the tables are of an older release; run `setup()`",
            ));
        }
        let allowed: bool = sqlx::query_scalar(statements.rights.clone())
            .fetch_one(&self.pool)
            .await
            .map_err(|error| failed(Phase::Setup, error))?;
        let read_only: bool = sqlx::query_scalar(statements.read_only.clone())
            .fetch_one(&self.pool)
            .await
            .map_err(|error| failed(Phase::Setup, error))?;
        if read_only {
            return Err(Error::not_ready(
                "`default_transaction_read_only` is on for this role or database, so nothing can \
                 be written",
            ));
        }
        if !allowed {
            return Err(Error::not_ready(
                "this role needs SELECT, INSERT, UPDATE and DELETE on `idem_record`, and EXECUTE \
                 on `idem_claim_v1`",
            ));
        }
        Ok(())
    }

    async fn find(&self, attempt: &Attempt) -> Result<Option<Record>> {
        let statements = self.statements().await?;
        let mut looking = Session::acquire(&self.pool)
            .await
            .map_err(|error| failed(Phase::Claim, error))?;
        // Outside a transaction the claim's locks end with the statement.
        match claim(statements, &mut looking, attempt).await? {
            Claim::Done(record) => Ok(Some(record)),
            Claim::Free(_) | Claim::Running(_) => Ok(None),
        }
    }

    async fn begin(&self, _patience: Instant) -> Result<Session<Postgres>> {
        let mut session = self.open(None).await?;
        session.unsure = false;
        Ok(session)
    }

    async fn claim(
        &self,
        session: Option<Session<Postgres>>,
        attempt: &Attempt,
        _patience: Instant,
    ) -> Result<Claim<Session<Postgres>>> {
        let statements = self.statements().await?;
        let mut session = self.open(session).await?;
        // Not free: dropping the session rolls back and lets go of whatever locks it took.
        let met = claim(statements, &mut session, attempt).await?;
        Ok(met.map(|replaces| {
            session.replaces = replaces;
            session
        }))
    }

    async fn adopt(&self, session: &mut Session<Postgres>) -> Result<()> {
        let isolation: String =
            sqlx::query_scalar("SELECT current_setting('transaction_isolation')")
                .fetch_one(&mut *session.connection)
                .await
                .map_err(|error| failed(Phase::Claim, error))?;
        if isolation != "read committed" {
            return Err(Error::not_ready(format!(
                "a transaction that operations join must be READ COMMITTED, and this one is \
                 {isolation}: it would not see what others have recorded since it began"
            )));
        }
        Ok(())
    }

    async fn join(
        &self,
        session: &mut Session<Postgres>,
        attempt: &Attempt,
    ) -> Result<Claim<Savepoint>> {
        let statements = self.statements().await?;
        let savepoint = session.next_savepoint();
        simple(session, format!("SAVEPOINT {savepoint}"), Phase::Claim).await?;
        let met = claim(statements, session, attempt).await?;
        if !matches!(met, Claim::Free(_)) {
            simple(session, back(savepoint), Phase::Claim).await?;
        }
        Ok(met.map(|replaces| {
            session.enter(replaces);
            savepoint
        }))
    }

    async fn keep(&self, session: &mut Session<Postgres>, savepoint: Savepoint) -> Result<()> {
        let release = format!("RELEASE SAVEPOINT {savepoint}");
        simple(session, release, Phase::Record).await?;
        session.leave(savepoint);
        Ok(())
    }

    async fn back(&self, session: &mut Session<Postgres>, savepoint: Savepoint) -> Result<()> {
        simple(session, back(savepoint), Phase::Claim).await?;
        session.leave(savepoint);
        Ok(())
    }

    async fn record(
        &self,
        session: &mut Session<Postgres>,
        attempt: &Attempt,
        memo: &Memo,
        ttl: Option<Duration>,
    ) -> Result<()> {
        let statements = self.statements().await?;
        session.unsure = true;
        let record = match session.replaces {
            false => &statements.record,
            true => &statements.replace,
        };
        let recorded = sqlx::query(record.clone())
            .bind(attempt.identity.as_bytes())
            .bind(attempt.scope)
            .bind(&attempt.readable_key)
            .bind(attempt.fingerprint.as_bytes())
            .bind(memo.as_stored())
            .bind(ttl.map(interval))
            .bind(session.birth)
            .execute(&mut *session.connection)
            .await;
        session.unsure = recorded.as_ref().is_err_and(is_connection_lost);
        match recorded
            .map_err(|error| failed(Phase::Record, error))?
            .rows_affected()
        {
            1 if session.is_at_base() => Ok(()),
            // The row sits inside a savepoint the body leaked, or in no transaction of the claim's.
            1 => Err(Error::TransactionEnded),
            _ => Err(Error::unavailable(
                "another attempt of this operation recorded its answer first",
            )),
        }
    }

    async fn is_intact(&self, session: &mut Session<Postgres>) -> bool {
        // As text, not prepared: a body may have deallocated what was prepared.
        let sql = AssertSqlSafe(format!("SELECT {BIRTH} = '{}'::float8", session.birth));
        session.unsure = true;
        let same: sqlx::Result<bool> = sqlx::raw_sql(sql)
            .fetch_one(&mut *session.connection)
            .await
            .and_then(|row| row.try_get(0));
        session.unsure = same.as_ref().is_err_and(is_connection_lost);
        match same {
            Ok(same) => same,
            // Aborted by a failed statement, or gone with its connection: in both cases nothing
            // of it can be committed any more.
            Err(error) => {
                matches!(of(&error), Fault::Ended | Fault::Passing)
            }
        }
    }

    async fn commit(&self, session: &mut Session<Postgres>) -> Result<()> {
        session.unsure = true;
        let committed = Manager::commit(&mut session.connection).await;
        session.unsure = committed.is_err();
        committed.map_err(|error| failed(Phase::Commit, error))
    }

    async fn rollback(&self, session: &mut Session<Postgres>) {
        while session.depth() > 0 {
            session.unsure = true;
            if Manager::rollback(&mut session.connection).await.is_err() {
                // Closed when dropped; the server rolls back by itself.
                return;
            }
            session.unsure = false;
        }
    }

    async fn abandon(&self, mut session: Session<Postgres>, attempt: &Attempt) {
        let backend = session.backend;
        // Closing the connection ends no statement that runs on it.
        session.unsure = true;
        drop(session);
        let Ok(statements) = self.statements().await else {
            return;
        };
        let ended = sqlx::query(statements.end_backend.clone())
            .bind(attempt.identity.lock_id())
            .bind(backend)
            .execute(&self.pool)
            .await;
        if let Err(error) = ended {
            tracing::warn!(
                scope = attempt.scope,
                key = %attempt.identity,
                error = &error as &dyn std::error::Error,
                "a statement that outlived its operation may hold the key until it ends"
            );
        }
    }

    async fn forget(&self, identity: &Identity) -> Result<bool> {
        sqlx::query(self.statements().await?.forget.clone())
            .bind(identity.as_bytes())
            .execute(&self.pool)
            .await
            .map(|deleted| deleted.rows_affected() > 0)
            .map_err(|error| failed(Phase::Forget, error))
    }
}

/// The inside of a string literal.
fn literal(text: &str) -> String {
    text.replace('\'', "''")
}

/// Releases the locks taken since the savepoint, too.
/// <https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS>
fn back(savepoint: Savepoint) -> String {
    format!("ROLLBACK TO SAVEPOINT {savepoint}; RELEASE SAVEPOINT {savepoint}")
}

/// Runs text of our own that returns nothing.
async fn simple(session: &mut Session<Postgres>, sql: String, phase: Phase) -> Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut *session.connection)
        .await
        .map(drop)
        .map_err(|error| failed(phase, error))
}

/// Claims in the session's open transaction; whether an expired record is in the new one's way.
async fn claim(
    statements: &Statements,
    session: &mut Session<Postgres>,
    attempt: &Attempt,
) -> Result<Claim<bool>> {
    let (held, birth, backend): (Option<Vec<u8>>, f64, i32) =
        sqlx::query_as(statements.claim.clone())
            .bind(attempt.fingerprint.lock_id(&attempt.identity))
            .bind(attempt.identity.lock_id())
            .bind(attempt.identity.as_bytes())
            .fetch_one(&mut *session.connection)
            .await
            .map_err(|error| failed(Phase::Claim, error))?;
    session.unsure = false;
    let replaces = match held {
        None => false,
        Some(held) if held == [0] => true,
        Some(held) => return read(&held.into()),
    };
    session.birth = birth;
    session.backend = backend;
    Ok(Claim::Free(replaces))
}

/// What the claiming function says of a key that is not free.
fn read(held: &Bytes) -> Result<Claim<bool>> {
    let done = match &held[..] {
        [1] => return Ok(Claim::Running(Inputs::Unknown)),
        [2] => return Ok(Claim::Running(Inputs::Other)),
        [3, done @ ..] => done,
        _ => &[],
    };
    let unreadable = Error::MemoUnreadable {
        reason: "its row is damaged",
    };
    let (remaining, done) = done.split_first_chunk().ok_or(unreadable)?;
    // Negative: it never expires.
    let remaining = u64::try_from(i64::from_be_bytes(*remaining)).ok();
    let (fingerprint, memo) = done.split_at(done.len().min(Fingerprint::LENGTH));
    let remaining = remaining.map(Duration::from_micros);
    record(fingerprint, held.slice_ref(memo), remaining).map(Claim::Done)
}

fn failed(phase: Phase, error: sqlx::Error) -> Error {
    let fault = of(&error);
    phase.error(error, fault)
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn of(error: &sqlx::Error) -> Fault {
    fault(error, |error| {
        match error.code().as_deref().unwrap_or_default() {
            // in_failed_sql_transaction, no_active_sql_transaction
            "25P02" | "25P01" => Fault::Ended,
            // invalid_text_representation: `ENDED`
            "22P02" => Fault::Ended,
            // serialization_failure, deadlock_detected, read_only_sql_transaction (a demoted primary),
            // lock_not_available, query_canceled, idle_in_transaction_session_timeout
            "40001" | "40P01" | "25006" | "55P03" | "57014" | "25P03" => Fault::Passing,
            // invalid_sql_statement_name: a body deallocated what sqlx had prepared.
            "26000" => Fault::Passing,
            code if code.starts_with("57P0") => Fault::Passing, // shutdown and restart
            code if code.starts_with("53") => Fault::Passing,   // insufficient resources
            code if code.starts_with("08") => Fault::Passing,   // connection exceptions
            _ => Fault::Lasting,
        }
    })
}

/// Whether the connection should not be used again: it is gone, or leads to a server that can no
/// longer write or is going away.
fn is_connection_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => error
            .code()
            .is_some_and(|code| code == "25006" || code == "26000" || code.starts_with("57P0")),
        _ => true,
    }
}

fn interval(duration: Duration) -> PgInterval {
    PgInterval {
        months: 0,
        days: 0,
        microseconds: i64::try_from(bounded(duration).as_micros()).unwrap_or(i64::MAX),
    }
}
