//! Creating the tables, upgrading them, and checking what is there.

use super::faults::failed;
use super::statements::{FIND, Statements};
use super::{BEGIN, PostgresStore};
use crate::error::{Error, Result};
use crate::store::sql::Phase;

/// Each file once, in order; the version of a file is its place in this list, from 1.
const MIGRATIONS: &[&str] = &[include_str!(
    "../../../migrations/postgres/0001_records.sql"
)];

/// Serialises `setup()`; ends with its transaction. The number is arbitrary and fixed.
const SETUP_LOCK: &str = "SELECT pg_advisory_xact_lock(7236124908175501369)";

impl PostgresStore {
    pub(super) async fn create_tables(&self) -> Result<()> {
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
        self.check_tables().await
    }

    pub(super) async fn check_tables(&self) -> Result<()> {
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
}
