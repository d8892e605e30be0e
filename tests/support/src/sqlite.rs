//! A fresh SQLite file.

use std::path::{Path, PathBuf};

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use tempfile::TempDir;

/// A SQLite database in a file of its own, removed when dropped.
#[derive(Debug)]
pub struct Database {
    folder: TempDir,
}

impl Database {
    /// Makes a folder for a new database; the file appears with the first connection.
    ///
    /// # Panics
    ///
    /// When the temporary folder cannot be made.
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "makes a folder, which a default should not"
    )]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("idem-sqlite-")
            .tempdir()
            .expect("a temporary folder can be made");
        Self { folder }
    }

    /// Names the database's file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("test.sqlite")
    }

    /// Names the folder of the file and of SQLite's files beside it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the URL that other processes open the database by, creating it where it is missing.
    #[must_use]
    pub fn url(&self) -> String {
        format!("sqlite://{}?mode=rwc", self.path().display())
    }

    /// Gives the options behind [`Database::pool`]: WAL, created where missing, sqlx's defaults
    /// otherwise (a busy timeout of 5 seconds, foreign keys on).
    #[must_use]
    pub fn options(&self) -> SqliteConnectOptions {
        SqliteConnectOptions::new()
            .filename(self.path())
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
    }

    /// Opens a pool of up to `max_connections` connections.
    ///
    /// # Panics
    ///
    /// When the database cannot be opened.
    pub async fn pool(&self, max_connections: u32) -> SqlitePool {
        SqlitePoolOptions::new()
            .max_connections(max_connections)
            .connect_with(self.options())
            .await
            .expect("the SQLite file can be opened")
    }
}
