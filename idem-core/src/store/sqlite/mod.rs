//! SQLite: one writer at a time, in a fair queue in front of the user's own pool.

mod faults;
mod pools;
mod setup;
mod writer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection as _, Database, Row, SqlSafeStr, SqlStr, Sqlite, SqlitePool};
use sqlx_core::transaction::TransactionManager;
use tokio::sync::{OnceCell, Semaphore};

use super::session::{Savepoint, Session};
use super::sql::{Phase, bounded, record};
use super::{Attempt, Claim, Record, Store};
use crate::error::{Error, Result};
use crate::key::Identity;
use crate::memo::Memo;
use faults::failed;
use pools::check_pool;
use writer::Begin;

type Manager = <Sqlite as Database>::TransactionManager;

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

#[derive(Debug)]
pub struct SqliteStore {
    pool: SqlitePool,
    /// The fair queue of writers: SQLite itself polls with sleeps, and starves the unlucky.
    writer: Arc<Semaphore>,
    begin: OnceCell<Begin>,
}

impl Store for SqliteStore {
    type Db = Sqlite;

    fn new(pool: SqlitePool) -> Result<Self> {
        check_pool(&pool)?;
        Ok(SqliteStore {
            pool,
            writer: Arc::new(Semaphore::new(1)),
            begin: OnceCell::new(),
        })
    }

    async fn setup(&self) -> Result<()> {
        self.create_tables().await
    }

    async fn check(&self) -> Result<()> {
        self.check_tables().await
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
        if !session.has_proof {
            session.has_proof = true;
            let take = AssertSqlSafe(format!("{TAKE_WRITER}; SAVEPOINT idem_claim")).into_sql_str();
            return simple(session, take, Phase::Claim).await;
        }
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
        let found = find(&mut session.connection, attempt).await;
        if !matches!(found, Ok(None)) {
            simple(session, back(savepoint), Phase::Claim).await?;
        }
        match found? {
            Some(record) => Ok(Claim::Done(record)),
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

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(bounded(duration).as_millis()).unwrap_or(i64::MAX)
}
