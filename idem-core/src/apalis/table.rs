//! `JobTable`: apalis' table of jobs, on each database that has one.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::error::DatabaseError;

use crate::store::Database;

/// A database that apalis keeps jobs in, too: `sqlx::Postgres` (`apalis-postgres` 1.0) or
/// `sqlx::Sqlite` (`apalis-sqlite` 1.0).
#[diagnostic::on_unimplemented(
    message = "jobs cannot be enqueued in `{Self}`",
    label = "apalis keeps no jobs here",
    note = "why: a job is enqueued in the operation's own transaction, so both are in one database",
    note = "fix: use `sqlx::Postgres` or `sqlx::Sqlite`, and enable the feature of idem-core with its name"
)]
pub trait JobTable: Database {
    /// Adds a row; whether its key was free.
    #[doc(hidden)]
    fn insert(
        connection: &mut Self::Connection,
        row: &Row<'_>,
    ) -> impl Future<Output = sqlx::Result<bool>> + Send;

    /// The id and status of the row with this key.
    #[doc(hidden)]
    fn find(
        connection: &mut Self::Connection,
        queue: &str,
        key: &str,
    ) -> impl Future<Output = sqlx::Result<Option<(String, String)>>> + Send;

    /// Whether the table is missing, too old or not ours to write.
    #[doc(hidden)]
    fn is_not_ready(error: &dyn DatabaseError) -> bool;
}

/// A job as the table has it, `Pending` and never tried.
#[derive(Debug)]
pub struct Row<'a> {
    /// A ULID: rows with other ids make apalis' workers fail.
    pub(super) id: String,
    pub(super) queue: &'a str,
    pub(super) job: Vec<u8>,
    pub(super) priority: i32,
    pub(super) max_attempts: i32,
    pub(super) run_at: RunAt,
    pub(super) key: String,
}

/// When a job may run; all but a given time is the database's to say.
#[derive(Debug, Clone, Copy)]
pub(super) enum RunAt {
    Now,
    After(Duration),
    Time(SystemTime),
}

/// The longest delay, 1,000 years: what every database can add to today.
const LONGEST: Duration = Duration::from_secs(1_000 * 365 * 24 * 60 * 60);

impl RunAt {
    fn delay(self) -> Option<Duration> {
        match self {
            RunAt::After(delay) => Some(delay.min(LONGEST)),
            RunAt::Now | RunAt::Time(_) => None,
        }
    }

    /// Since 1970; a time before that is one that has passed.
    fn time(self) -> Option<Duration> {
        match self {
            RunAt::Time(time) => Some(time.duration_since(UNIX_EPOCH).unwrap_or_default()),
            RunAt::Now | RunAt::After(_) => None,
        }
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use sqlx::Postgres;
    use sqlx::error::DatabaseError;
    use sqlx::postgres::PgConnection;
    use sqlx::postgres::types::PgInterval;

    use super::{JobTable, Row};

    /// `now()` for what may run at once: the table's trigger tells waiting workers of rows whose time
    /// has come by `now()` only. `metadata` is left out, since its type may be in any schema.
    const INSERT: &str = "INSERT INTO apalis.jobs
            (id, job_type, job, status, attempts, max_attempts, run_at, priority, idempotency_key)
        VALUES ($1, $2, $3, 'Pending', 0, $4,
                coalesce(to_timestamp($5), clock_timestamp() + $6, now()), $7, $8)
        ON CONFLICT (job_type, idempotency_key) DO NOTHING";

    const FIND: &str =
        "SELECT id, status FROM apalis.jobs WHERE job_type = $1 AND idempotency_key = $2";

    impl JobTable for Postgres {
        async fn insert(connection: &mut PgConnection, row: &Row<'_>) -> sqlx::Result<bool> {
            let delay = row.run_at.delay().map(|delay| PgInterval {
                months: 0,
                days: 0,
                microseconds: i64::try_from(delay.as_micros()).unwrap_or(i64::MAX),
            });
            let inserted = sqlx::query(INSERT)
                .bind(&row.id)
                .bind(row.queue)
                .bind(&row.job)
                .bind(row.max_attempts)
                .bind(row.run_at.time().map(|time| time.as_secs_f64()))
                .bind(delay)
                .bind(row.priority)
                .bind(&row.key)
                .execute(connection)
                .await?;
            Ok(inserted.rows_affected() == 1)
        }

        async fn find(
            connection: &mut PgConnection,
            queue: &str,
            key: &str,
        ) -> sqlx::Result<Option<(String, String)>> {
            sqlx::query_as(FIND)
                .bind(queue)
                .bind(key)
                .fetch_optional(connection)
                .await
        }

        /// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
        fn is_not_ready(error: &dyn DatabaseError) -> bool {
            let code = error.code();
            // undefined_table, invalid_schema_name, undefined_column, insufficient_privilege,
            // invalid_column_reference (no unique index on the key)
            matches!(
                code.as_deref(),
                Some("42P01" | "3F000" | "42703" | "42501" | "42P10")
            )
        }
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use sqlx::Sqlite;
    use sqlx::error::DatabaseError;
    use sqlx::sqlite::SqliteConnection;

    use super::{JobTable, Row};

    /// Seconds since 1970 by the database's clock.
    macro_rules! now {
        () => {
            "CAST(strftime('%s', 'now') AS INTEGER)"
        };
    }

    const INSERT: &str = concat!(
        "INSERT INTO main.Jobs
            (id, job_type, job, status, attempts, max_attempts, run_at, priority, metadata,
             idempotency_key)
        VALUES (?1, ?2, ?3, 'Pending', 0, ?4, coalesce(?5, ",
        now!(),
        " + ?6, ",
        now!(),
        "), ?7, '{}', ?8)
        ON CONFLICT (job_type, idempotency_key) DO NOTHING"
    );

    const FIND: &str =
        "SELECT id, status FROM main.Jobs WHERE job_type = ?1 AND idempotency_key = ?2";

    impl JobTable for Sqlite {
        async fn insert(connection: &mut SqliteConnection, row: &Row<'_>) -> sqlx::Result<bool> {
            let inserted = sqlx::query(INSERT)
                .bind(&row.id)
                .bind(row.queue)
                .bind(&row.job)
                .bind(row.max_attempts)
                .bind(row.run_at.time().map(seconds))
                .bind(row.run_at.delay().map(seconds))
                .bind(row.priority)
                .bind(&row.key)
                .execute(connection)
                .await?;
            Ok(inserted.rows_affected() == 1)
        }

        async fn find(
            connection: &mut SqliteConnection,
            queue: &str,
            key: &str,
        ) -> sqlx::Result<Option<(String, String)>> {
            sqlx::query_as(FIND)
                .bind(queue)
                .bind(key)
                .fetch_optional(connection)
                .await
        }

        /// SQLite has one code for all of these, and its messages are fixed.
        fn is_not_ready(error: &dyn DatabaseError) -> bool {
            let message = error.message();
            [
                "no such table",
                "has no column named",
                "no such column",
                "ON CONFLICT clause does not match",
            ]
            .iter()
            .any(|said| message.contains(said))
        }
    }

    /// Whole ones, the next where it is between two.
    fn seconds(time: std::time::Duration) -> i64 {
        let whole = time.as_secs() + u64::from(time.subsec_nanos() > 0);
        i64::try_from(whole).unwrap_or(i64::MAX)
    }
}
