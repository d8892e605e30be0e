//! Creating the tables, upgrading them, and checking what is there.

use std::time::{Duration, Instant};

use sqlx_core::transaction::TransactionManager;

use super::faults::failed;
use super::pools::is_in_memory;
use super::{Manager, SqliteStore};
use crate::error::{Error, Result};
use crate::store::sql::Phase;

/// Each file once, in order; the version of a file is its place in this list, from 1.
const MIGRATIONS: &[&str] = &[include_str!("../../../migrations/sqlite/0001_records.sql")];

const VERSION: &str = "SELECT coalesce(max(version), 0) FROM main.idem_version";

const HAS_TABLES: &str =
    "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = 'idem_version'";

/// How long `setup()` waits for other processes that are setting up.
const SETUP_PATIENCE: Duration = Duration::from_secs(30);

impl SqliteStore {
    pub(super) async fn create_tables(&self) -> Result<()> {
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
        self.check_tables().await
    }

    pub(super) async fn check_tables(&self) -> Result<()> {
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
}
