//! `Stage`: the servers and files that subjects work on.

use idem_test_support::postgres::{PrivateServer, Server};
use idem_test_support::sqlite;
use tokio::sync::OnceCell;

use crate::subject::{Subject, Variant};
use crate::{on_postgres, on_sqlite};

/// Connections of each pool: one for each concurrent request, so that nothing waits for one.
pub(crate) const CONNECTIONS: u32 = 16;

/// Durable as installed; the rest keeps maintenance from falling into one slice and not another.
const SETTINGS: &[(&str, &str)] = &[
    ("fsync", "on"),
    ("synchronous_commit", "on"),
    ("autovacuum", "off"),
    ("checkpoint_timeout", "1h"),
    ("max_wal_size", "8GB"),
    ("shared_buffers", "256MB"),
];

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    Postgres,
    Sqlite,
}

impl Store {
    pub(crate) const ALL: [Store; 2] = [Store::Postgres, Store::Sqlite];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Store::Postgres => "postgres",
            Store::Sqlite => "sqlite",
        }
    }
}

/// Starts what is needed, when it is needed first.
#[derive(Default)]
pub(crate) struct Stage {
    postgres: OnceCell<PrivateServer>,
}

impl Stage {
    /// The private PostgreSQL server.
    pub(crate) async fn postgres(&self) -> &PrivateServer {
        self.postgres
            .get_or_init(|| Server::private_with(SETTINGS))
            .await
    }

    /// Each of `variants`, on a new database of its own.
    pub(crate) async fn subjects(&self, store: Store, variants: &[Variant]) -> Vec<Subject> {
        let mut subjects = Vec::new();
        for &variant in variants {
            subjects.push(self.subject(store, variant).await);
        }
        subjects
    }

    async fn subject(&self, store: Store, variant: Variant) -> Subject {
        match store {
            Store::Postgres => {
                let database = self.postgres().await.database().await;
                let pool = database.pool(CONNECTIONS).await;
                on_postgres::variants::subject(variant, pool, Box::new(database)).await
            }
            Store::Sqlite => {
                let database = sqlite::Database::new();
                let pool = database.pool(CONNECTIONS).await;
                on_sqlite::variants::subject(variant, pool, Box::new(database)).await
            }
        }
    }
}
