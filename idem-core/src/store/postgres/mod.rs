//! PostgreSQL: claims by advisory locks that end with the transaction, one row version a memo.

mod claim;
mod faults;
mod setup;
mod statements;

use std::time::{Duration, Instant};

use sqlx::postgres::types::PgInterval;
use sqlx::{AssertSqlSafe, Database, PgPool, Postgres, Row as _, SqlSafeStr};
use sqlx_core::transaction::TransactionManager;
use tokio::sync::OnceCell;

use super::session::{Savepoint, Session};
use super::sql::{Fault, Phase, bounded};
use super::{Attempt, Claim, Record, Store};
use crate::error::{Error, Result};
use crate::key::Identity;
use crate::memo::Memo;
use claim::claim;
use faults::{failed, is_connection_lost, of};
use statements::{BIRTH, Statements};

type Manager = <Postgres as Database>::TransactionManager;

/// Explicit, since under a default of REPEATABLE READ or SERIALIZABLE the claim's look-up would see
/// the database as it was before its locks.
/// <https://www.postgresql.org/docs/current/transaction-iso.html>
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

const ADOPT: &str = "SELECT current_setting('transaction_isolation'), date_part('epoch', now())";

#[derive(Debug)]
pub struct PostgresStore {
    pool: PgPool,
    statements: OnceCell<Statements>,
}

impl PostgresStore {
    /// The statements, found once.
    async fn statements(&self) -> Result<&Statements> {
        self.statements
            .get_or_try_init(|| async {
                let mut looking = Session::acquire(&self.pool)
                    .await
                    .map_err(|error| failed(Phase::Claim, error))?;
                Statements::find(&mut looking.connection).await
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
        self.create_tables().await
    }

    async fn check(&self) -> Result<()> {
        self.check_tables().await
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
        // No claim brings its birth.
        self.adopt(&mut session).await?;
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
        Ok(met.map(|(replaces, birth, backend)| {
            session.replaces = replaces;
            session.birth = birth;
            session.has_proof = true;
            session.backend = backend;
            session
        }))
    }

    async fn adopt(&self, session: &mut Session<Postgres>) -> Result<()> {
        // On this connection: the pool may have no other.
        self.statements
            .get_or_try_init(|| Statements::find(&mut session.connection))
            .await?;
        let (isolation, birth): (String, f64) = sqlx::query_as(ADOPT)
            .fetch_one(&mut *session.connection)
            .await
            .map_err(|error| failed(Phase::Claim, error))?;
        if isolation != "read committed" {
            return Err(Error::not_ready(format!(
                "a transaction that operations join must be READ COMMITTED, and this one is \
                 {isolation}: it would not see what others have recorded since it began"
            )));
        }
        if !session.has_proof {
            session.birth = birth;
            session.has_proof = true;
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
        let met = claim(statements, session, attempt).await;
        match &met {
            Ok(Claim::Free((_, birth, _))) if *birth != session.birth => {
                return Err(Error::TransactionEnded);
            }
            Ok(Claim::Free(_)) => {}
            // An unreadable record is an answer, too.
            Ok(_) | Err(Error::MemoUnreadable { .. }) => {
                simple(session, back(savepoint), Phase::Claim).await?;
            }
            Err(_) => {}
        }
        let met = met?;
        Ok(met.map(|(replaces, ..)| {
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

fn interval(duration: Duration) -> PgInterval {
    PgInterval {
        months: 0,
        days: 0,
        microseconds: i64::try_from(bounded(duration).as_micros()).unwrap_or(i64::MAX),
    }
}
