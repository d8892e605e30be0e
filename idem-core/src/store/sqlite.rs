//! SQLite: one writer at a time, in a fair queue in front of the user's own pool.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection as _, Database, Row, SqlSafeStr, SqlStr, Sqlite,
    SqlitePool,
};
use sqlx_core::transaction::TransactionManager;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

use super::session::{Savepoint, Session};
use super::sql::{Fault, Phase, bounded, fault, record};
use super::{Attempt, Claim, Record, Store};
use crate::engine::backoff::Backoff;
use crate::error::{Error, Result};
use crate::key::Identity;
use crate::memo::Memo;

type Manager = <Sqlite as Database>::TransactionManager;

/// Each file once, in order; the version of a file is its place in this list, from 1.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/sqlite/0001_records.sql")];

/// Set at the claim and released before the memo: a body that ended the transaction ended this too.
/// <https://www.sqlite.org/lang_savepoint.html>
const RELEASE: &str = "RELEASE idem_claim";

/// Writes nothing, but takes the write lock, which a deferred transaction does not have yet.
/// <https://www.sqlite.org/lang_transaction.html>
const TAKE_WRITER: &str = "DELETE FROM main.idem_record WHERE FALSE";

/// Milliseconds since 1970 by the database's clock; julian days have a resolution of 1 ms.
/// <https://www.sqlite.org/lang_datefunc.html>
macro_rules! now_ms {
    () => {
        "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
    };
}

const FIND: &str = concat!(
    "SELECT fingerprint, memo, expires_at_ms - ",
    now_ms!(),
    " FROM main.idem_record WHERE id = ?1 AND coalesce(expires_at_ms > ",
    now_ms!(),
    ", TRUE)"
);

/// Proves the claim's transaction and records in it. One row, or a rival recorded first (which the
/// write lock already rules out).
const RECORD: &str = concat!(
    "RELEASE idem_claim;
     INSERT INTO main.idem_record AS r
        (id, scope, key, fingerprint, memo, completed_at_ms, expires_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ",
    now_ms!(),
    ", ",
    now_ms!(),
    " + ?6)
     ON CONFLICT (id) DO UPDATE
        SET scope = excluded.scope, key = excluded.key, fingerprint = excluded.fingerprint,
            memo = excluded.memo, completed_at_ms = excluded.completed_at_ms,
            expires_at_ms = excluded.expires_at_ms
      WHERE r.expires_at_ms <= ",
    now_ms!(),
    " RETURNING 1"
);

const FORGET: &str = "DELETE FROM main.idem_record WHERE id = ?1";

const VERSION: &str = "SELECT coalesce(max(version), 0) FROM main.idem_version";

const HAS_TABLES: &str =
    "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = 'idem_version'";

/// How long one try at the write lock may block its connection's thread, in milliseconds; between
/// tries the connection is given back.
const BUSY_TRY_MS: i64 = 50;

/// How long `setup()` waits for other processes that are setting up.
const SETUP_PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct SqliteStore {
    pool: SqlitePool,
    /// The fair queue of writers: SQLite itself polls with sleeps, and starves the unlucky.
    writer: Arc<Semaphore>,
    begin: OnceCell<Begin>,
}

/// The statements around taking the write lock.
#[derive(Debug)]
struct Begin {
    /// Takes it, blocking for `BUSY_TRY_MS` at most, and sets the savepoint that proves it.
    take: SqlStr,
    /// Gives a connection that did not get it the user's own busy timeout back.
    restore: SqlStr,
}

impl SqliteStore {
    async fn begin_statements(&self) -> Result<&Begin> {
        self.begin
            .get_or_try_init(|| async {
                let busy: i64 = sqlx::query_scalar("PRAGMA busy_timeout")
                    .fetch_one(&self.pool)
                    .await
                    .map_err(|error| failed(Phase::Claim, error))?;
                let sql = |text: String| AssertSqlSafe(Arc::<str>::from(text)).into_sql_str();
                Ok(Begin {
                    take: sql(format!(
                        "PRAGMA busy_timeout = {}; BEGIN IMMEDIATE; PRAGMA busy_timeout = {busy}; \
                         SAVEPOINT idem_claim",
                        busy.min(BUSY_TRY_MS)
                    )),
                    restore: sql(format!("PRAGMA busy_timeout = {busy}")),
                })
            })
            .await
    }

    /// Waits for this process's turn to write, as long as the pool would wait for a connection.
    async fn queue(&self) -> Result<OwnedSemaphorePermit> {
        let patience = self.pool.options().get_acquire_timeout();
        match tokio::time::timeout(patience, Arc::clone(&self.writer).acquire_owned()).await {
            Ok(permit) => Ok(permit.expect("BUG: the queue of writers is never closed")),
            Err(_) => Err(Error::unavailable("the queue of writers was too long")),
        }
    }

    /// Tries for the write lock in this process's `turn`, on `session`'s connection if it has one;
    /// `None` when another process has the lock.
    async fn try_writer(
        &self,
        session: Option<Session<Sqlite>>,
        turn: &mut Option<OwnedSemaphorePermit>,
    ) -> Result<Option<Session<Sqlite>>> {
        let begin = self.begin_statements().await?;
        let mut trying = match session {
            Some(session) => session,
            None => Session::acquire(&self.pool)
                .await
                .map_err(|error| failed(Phase::Claim, error))?,
        };
        match Manager::begin(&mut trying.connection, Some(begin.take.clone())).await {
            Ok(()) => {
                trying.writer = turn.take();
                Ok(Some(trying))
            }
            Err(error) => {
                let restored =
                    sqlx::raw_sql(begin.restore.clone()).execute(&mut *trying.connection);
                trying.unsure = restored.await.is_err();
                if is_busy(&error) {
                    Ok(None)
                } else {
                    Err(failed(Phase::Claim, error))
                }
            }
        }
    }

    /// Takes the write lock in this process's `turn`; `None` when another process still has it at
    /// `patience`. Between tries it holds no connection.
    async fn take_writer(
        &self,
        turn: OwnedSemaphorePermit,
        patience: Instant,
    ) -> Result<Option<Session<Sqlite>>> {
        let mut turn = Some(turn);
        let mut backoff = Backoff::default();
        loop {
            if let Some(session) = self.try_writer(None, &mut turn).await? {
                return Ok(Some(session));
            }
            let pause = backoff.next();
            if Instant::now() + pause > patience {
                return Ok(None);
            }
            tokio::time::sleep(pause).await;
        }
    }
}

impl Store for SqliteStore {
    type Db = Sqlite;

    fn new(pool: SqlitePool) -> Result<Self> {
        if pool.options().get_max_connections() > 1 {
            let options = pool.connect_options();
            if is_in_memory(&options) {
                return Err(Error::not_ready(
                    "an in-memory SQLite database needs a pool of exactly one connection: \
                     `SqlitePoolOptions::new().max_connections(1)`; other connections would see \
                     another database, or share a cache without its write lock",
                ));
            }
            if says(&options, "cache", "shared") {
                return Err(Error::not_ready(
                    "SQLite's shared cache lets connections read uncommitted work; connect without \
                     `cache=shared`",
                ));
            }
        }
        Ok(SqliteStore {
            pool,
            writer: Arc::new(Semaphore::new(1)),
            begin: OnceCell::new(),
        })
    }

    async fn setup(&self) -> Result<()> {
        let Some(mut session) = self
            .take_writer(self.queue().await?, Instant::now() + SETUP_PATIENCE)
            .await?
        else {
            return Err(Error::unavailable(
                "another process kept the database locked",
            ));
        };
        let migrate = async {
            let exists: i64 = sqlx::query_scalar(HAS_TABLES)
                .fetch_one(&mut *session.connection)
                .await?;
            let applied: i64 = match exists {
                0 => 0,
                _ => {
                    sqlx::query_scalar(VERSION)
                        .fetch_one(&mut *session.connection)
                        .await?
                }
            };
            let applied = usize::try_from(applied).unwrap_or(0);
            for migration in MIGRATIONS.iter().skip(applied) {
                sqlx::raw_sql(*migration)
                    .execute(&mut *session.connection)
                    .await?;
            }
            Manager::commit(&mut session.connection).await
        };
        migrate.await.map_err(|error| failed(Phase::Setup, error))?;
        drop(session);
        self.check().await
    }

    async fn check(&self) -> Result<()> {
        let mut connection = self
            .pool
            .acquire()
            .await
            .map_err(|error| failed(Phase::Setup, error))?;
        let look = async {
            let exists: i64 = sqlx::query_scalar(HAS_TABLES)
                .fetch_one(&mut *connection)
                .await?;
            let version: i64 = match exists {
                0 => 0,
                _ => {
                    sqlx::query_scalar(VERSION)
                        .fetch_one(&mut *connection)
                        .await?
                }
            };
            let journal: String = sqlx::query_scalar("PRAGMA main.journal_mode")
                .fetch_one(&mut *connection)
                .await?;
            Ok((version, journal))
        };
        let (version, journal) = look.await.map_err(|error| failed(Phase::Setup, error))?;
        if usize::try_from(version).unwrap_or(0) < MIGRATIONS.len() {
            return Err(Error::not_ready(
                "the tables are missing or of an older release; run `setup()`, or the files under \
                 idem-core/migrations/sqlite",
            ));
        }
        if journal != "wal" && !is_in_memory(&self.pool.connect_options()) {
            return Err(Error::not_ready(format!(
                "this SQLite file uses journal mode `{journal}`, in which readers and the writer \
                 block each other; connect with \
                 `SqliteConnectOptions::journal_mode(SqliteJournalMode::Wal)`"
            )));
        }
        Ok(())
    }

    async fn find(&self, attempt: &Attempt) -> Result<Option<Record>> {
        let mut looking = Session::acquire(&self.pool)
            .await
            .map_err(|error| failed(Phase::Claim, error))?;
        find(&mut looking.connection, attempt).await
    }

    async fn begin(&self, patience: Instant) -> Result<Session<Sqlite>> {
        self.take_writer(self.queue().await?, patience)
            .await?
            .ok_or_else(|| Error::unavailable("another process kept the database locked"))
    }

    async fn claim(
        &self,
        mut session: Option<Session<Sqlite>>,
        attempt: &Attempt,
        patience: Instant,
    ) -> Result<Claim<Session<Sqlite>>> {
        let mut turn = match &mut session {
            Some(session) => session.writer.take(),
            None => Arc::clone(&self.writer).try_acquire_owned().ok(),
        };
        let at_once = match turn {
            Some(_) => self.try_writer(session, &mut turn).await?,
            None => None,
        };
        let session = match at_once {
            Some(session) => Some(session),
            None => {
                // Whoever must wait looks first: a replay needs no turn to write.
                if let Some(record) = self.find(attempt).await? {
                    return Ok(Claim::Done(record));
                }
                let turn = match turn {
                    Some(turn) => turn,
                    None => self.queue().await?,
                };
                self.take_writer(turn, patience).await?
            }
        };
        let Some(mut session) = session else {
            // Whoever has the lock may be running this operation or any other.
            return match self.find(attempt).await? {
                Some(record) => Ok(Claim::Done(record)),
                None => Err(Error::unavailable(
                    "another process kept the database locked",
                )),
            };
        };
        match find(&mut session.connection, attempt).await? {
            Some(record) => Ok(Claim::Done(record)),
            None => Ok(Claim::Free(session)),
        }
    }

    async fn adopt(&self, session: &mut Session<Sqlite>) -> Result<()> {
        simple(session, TAKE_WRITER.into_sql_str(), Phase::Claim).await
    }

    async fn join(
        &self,
        session: &mut Session<Sqlite>,
        attempt: &Attempt,
    ) -> Result<Claim<Savepoint>> {
        let savepoint = session.next_savepoint();
        let set = AssertSqlSafe(format!("SAVEPOINT {savepoint}; SAVEPOINT idem_claim"));
        simple(session, set.into_sql_str(), Phase::Claim).await?;
        match find(&mut session.connection, attempt).await? {
            Some(record) => {
                simple(session, back(savepoint), Phase::Claim).await?;
                Ok(Claim::Done(record))
            }
            None => {
                session.enter(false);
                Ok(Claim::Free(savepoint))
            }
        }
    }

    async fn keep(&self, session: &mut Session<Sqlite>, savepoint: Savepoint) -> Result<()> {
        let release = AssertSqlSafe(format!("RELEASE {savepoint}")).into_sql_str();
        simple(session, release, Phase::Record).await?;
        session.leave(savepoint);
        Ok(())
    }

    async fn back(&self, session: &mut Session<Sqlite>, savepoint: Savepoint) -> Result<()> {
        simple(session, back(savepoint), Phase::Claim).await?;
        session.leave(savepoint);
        Ok(())
    }

    async fn record(
        &self,
        session: &mut Session<Sqlite>,
        attempt: &Attempt,
        memo: &Memo,
        ttl: Option<Duration>,
    ) -> Result<()> {
        let recorded = sqlx::query(RECORD)
            .bind(attempt.identity.as_bytes())
            .bind(attempt.scope)
            .bind(&attempt.readable_key)
            .bind(attempt.fingerprint.as_bytes())
            .bind(memo.as_stored())
            .bind(ttl.map(milliseconds))
            .fetch_optional(&mut *session.connection)
            .await;
        match recorded.map_err(|error| failed(Phase::Record, error))? {
            // What sqlx undoes of dropped savepoints is done by now; one left is the body's leak.
            Some(_) if session.is_at_base() => Ok(()),
            Some(_) => Err(Error::TransactionEnded),
            None => Err(Error::unavailable(
                "another attempt of this operation recorded its answer first",
            )),
        }
    }

    async fn is_intact(&self, session: &mut Session<Sqlite>) -> bool {
        // sqlx rolls a dropped savepoint back later, on the connection's own thread, and counts
        // there: asked before that has caught up, the body's own savepoint looks leaked.
        session.connection.ping().await.is_ok()
            && session.is_at_base()
            && sqlx::raw_sql(RELEASE)
                .execute(&mut *session.connection)
                .await
                .is_ok()
    }

    async fn commit(&self, session: &mut Session<Sqlite>) -> Result<()> {
        session.unsure = true;
        let committed = Manager::commit(&mut session.connection).await;
        session.unsure = false;
        committed.map_err(|error| failed(Phase::Commit, error))
    }

    async fn rollback(&self, session: &mut Session<Sqlite>) {
        if session.unsure {
            // Nobody waited for the COMMIT's end. If it is done, sqlx ignores the next queued
            // rollback of this connection, whoever queues it; let that be this one.
            Manager::start_rollback(&mut session.connection);
            session.unsure = false;
        }
        for _ in 0..session.depth() {
            if Manager::rollback(&mut session.connection).await.is_ok() {
                continue;
            }
            // The body ended by itself what sqlx still counts: open it again for sqlx to end. A
            // connection that allows not even that is closed.
            let reopen = match session.depth() {
                0 | 1 => "BEGIN".into_sql_str(),
                depth => savepoint(depth - 1),
            };
            let reopened = sqlx::raw_sql(reopen)
                .execute(&mut *session.connection)
                .await;
            let ended = Manager::rollback(&mut session.connection).await;
            session.unsure = reopened.is_err() || ended.is_err();
            if session.unsure {
                return;
            }
        }
    }

    async fn abandon(&self, session: Session<Sqlite>, _attempt: &Attempt) {
        // Its rollback is queued behind the statement that runs, which nothing ends from outside.
        drop(session);
    }

    async fn forget(&self, identity: &Identity) -> Result<bool> {
        let _turn = self.queue().await?;
        sqlx::query(FORGET)
            .bind(identity.as_bytes())
            .execute(&self.pool)
            .await
            .map(|deleted| deleted.rows_affected() > 0)
            .map_err(|error| failed(Phase::Forget, error))
    }
}

/// Back to a join, whatever savepoints are left inside it.
fn back(savepoint: Savepoint) -> SqlStr {
    AssertSqlSafe(format!("ROLLBACK TO {savepoint}; RELEASE {savepoint}")).into_sql_str()
}

/// Runs text of our own that returns nothing.
async fn simple(session: &mut Session<Sqlite>, sql: SqlStr, phase: Phase) -> Result<()> {
    sqlx::raw_sql(sql)
        .execute(&mut *session.connection)
        .await
        .map(drop)
        .map_err(|error| failed(phase, error))
}

/// Opens a savepoint by the name sqlx gives the one at this depth.
fn savepoint(depth: usize) -> SqlStr {
    AssertSqlSafe(format!("SAVEPOINT _sqlx_savepoint_{depth}")).into_sql_str()
}

/// <https://www.sqlite.org/inmemorydb.html>; an empty name is a temporary database.
fn is_in_memory(options: &SqliteConnectOptions) -> bool {
    let name = options.get_filename().to_string_lossy();
    says(options, "mode", "memory") || name.is_empty() || name.contains(":memory:")
}

/// Whether the options, or a `file:` URI given as the file's name, set a parameter to this value.
fn says(options: &SqliteConnectOptions, parameter: &str, value: &str) -> bool {
    // Only in the URL does sqlx show these options, and only a plain name makes a valid one.
    let url = options.clone().filename("any").to_url_lossy();
    url.query_pairs()
        .any(|(name, found)| name == parameter && found == value)
        || options
            .get_filename()
            .to_string_lossy()
            .contains(&format!("{parameter}={value}"))
}

async fn find(
    connection: &mut <Sqlite as Database>::Connection,
    attempt: &Attempt,
) -> Result<Option<Record>> {
    let read = async {
        let row = sqlx::query(FIND)
            .bind(attempt.identity.as_bytes())
            .fetch_optional(connection)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let remaining: Option<i64> = row.try_get(2)?;
        let remaining = remaining.map(|ms| Duration::from_millis(ms.try_into().unwrap_or(0)));
        Ok(Some((
            row.try_get::<Vec<u8>, _>(0)?,
            row.try_get::<Vec<u8>, _>(1)?,
            remaining,
        )))
    };
    match read.await.map_err(|error| failed(Phase::Claim, error))? {
        Some((fingerprint, memo, remaining)) => {
            record(&fingerprint, memo.into(), remaining).map(Some)
        }
        None => Ok(None),
    }
}

fn failed(phase: Phase, error: sqlx::Error) -> Error {
    let fault = of(&error);
    phase.error(error, fault)
}

/// <https://www.sqlite.org/rescode.html>; the low byte of an extended code is its primary one.
fn of(error: &sqlx::Error) -> Fault {
    fault(error, |error| match primary_code(error) {
        // SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_IOERR, SQLITE_FULL,
        // SQLITE_CANTOPEN
        5 | 6 | 7 | 9 | 10 | 13 | 14 => Fault::Passing,
        1 if error.message().starts_with("no such savepoint") => Fault::Ended,
        _ => Fault::Lasting,
    })
}

fn is_busy(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error) if matches!(primary_code(error.as_ref()), 5 | 6))
}

fn primary_code(error: &dyn sqlx::error::DatabaseError) -> u32 {
    let code = error.code().and_then(|code| code.parse::<u32>().ok());
    code.unwrap_or_default() & 0xff
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(bounded(duration).as_millis()).unwrap_or(i64::MAX)
}
