//! The one writer: a fair queue in this process, then the database's write lock.

use std::sync::Arc;
use std::time::Instant;

use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr, Sqlite};
use sqlx_core::transaction::TransactionManager;
use tokio::sync::OwnedSemaphorePermit;

use super::faults::{failed, is_busy};
use super::{Manager, SqliteStore};
use crate::engine::backoff::Backoff;
use crate::error::{Error, Result};
use crate::store::session::Session;
use crate::store::sql::Phase;

/// How long one try at the write lock may block its connection's thread, in milliseconds; between
/// tries the connection is given back.
const BUSY_TRY_MS: i64 = 50;

/// The statements around taking the write lock.
#[derive(Debug)]
pub(super) struct Begin {
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
    pub(super) async fn queue(&self) -> Result<OwnedSemaphorePermit> {
        let patience = self.pool.options().get_acquire_timeout();
        match tokio::time::timeout(patience, Arc::clone(&self.writer).acquire_owned()).await {
            Ok(permit) => Ok(permit.expect("BUG: the queue of writers is never closed")),
            Err(_) => Err(Error::unavailable("the queue of writers was too long")),
        }
    }

    /// Tries for the write lock in this process's `turn`, on `session`'s connection if it has one;
    /// `None` when another process has the lock.
    pub(super) async fn try_writer(
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
                trying.has_proof = true;
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
    pub(super) async fn take_writer(
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
