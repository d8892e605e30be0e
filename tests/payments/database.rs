//! A fresh database of either kind, known to the server by its URL alone.

use idem_test_support::postgres::{self, TestDatabase};
use idem_test_support::sqlite;

pub(crate) enum Database {
    Sqlite(sqlite::Database),
    Postgres(Box<TestDatabase>),
}

impl Database {
    pub(crate) fn sqlite() -> Self {
        Database::Sqlite(sqlite::Database::new())
    }

    pub(crate) async fn postgres() -> Self {
        Self::of(postgres::server().await).await
    }

    /// A fresh database of this server.
    pub(crate) async fn of(server: &postgres::Server) -> Self {
        Database::Postgres(Box::new(server.database().await))
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Database::Sqlite(database) => database.url(),
            Database::Postgres(database) => database.url(),
        }
    }
}
