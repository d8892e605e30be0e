//! The server shared by the tests of one process.

use std::env;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::OnceCell;

use super::cluster::{Cluster, USER};
use super::database::TestDatabase;
use super::private::PrivateServer;
use crate::patience::PATIENCE;

/// Names a server to use instead of starting one; its user must be allowed to create databases.
const OVERRIDE: &str = "IDEM_TEST_POSTGRES_URL";

/// A PostgreSQL server that tests may use but not stop.
#[derive(Debug)]
pub struct Server {
    admin: PgConnectOptions,
    log_path: Option<PathBuf>,
}

/// Gives the server that the tests of this process share, started by the first caller.
///
/// With `IDEM_TEST_POSTGRES_URL` set it is the server named there, and a test's database is dropped
/// with its [`TestDatabase`]; else databases end with the server, and that with this process.
///
/// # Panics
///
/// When PostgreSQL is not installed or does not start, or the URL cannot be parsed.
pub async fn server() -> &'static Server {
    static SERVER: OnceCell<(Server, Option<Cluster>)> = OnceCell::const_new();
    let (server, _) = SERVER
        .get_or_init(|| async {
            if let Ok(url) = env::var(OVERRIDE) {
                return (Server::external(&url), None);
            }
            let cluster = tokio::task::spawn_blocking(|| Cluster::start(Vec::new()))
                .await
                .expect("PostgreSQL starts");
            (Server::of(&cluster), Some(cluster))
        })
        .await;
    server
}

impl Server {
    /// Starts a server for this test alone, which may kill and restart it.
    ///
    /// Takes about a second; never replaced by `IDEM_TEST_POSTGRES_URL`.
    ///
    /// # Panics
    ///
    /// When PostgreSQL is not installed or does not start.
    pub async fn private() -> PrivateServer {
        PrivateServer::start(&[]).await
    }

    /// Starts a server as [`Server::private`] does, with settings of `postgresql.conf` on top.
    ///
    /// # Panics
    ///
    /// When PostgreSQL is not installed or does not start with these settings.
    pub async fn private_with(settings: &[(&str, &str)]) -> PrivateServer {
        PrivateServer::start(settings).await
    }

    /// Creates an empty database for one test.
    ///
    /// # Panics
    ///
    /// When the server cannot be reached or refuses.
    pub async fn database(&self) -> TestDatabase {
        TestDatabase::create(&self.admin, self.log_path.is_none()).await
    }

    /// Gives the URL of the administrators' database, password included.
    #[must_use]
    pub fn url(&self) -> String {
        self.admin.to_url_lossy().into()
    }

    /// Names the server's log file; `None` for one that was not started here.
    #[must_use]
    pub fn log_path(&self) -> Option<&Path> {
        self.log_path.as_deref()
    }

    /// Ends one session as an administrator would, and returns when its process is gone.
    ///
    /// # Panics
    ///
    /// When there is no such session, or it does not end.
    pub async fn terminate_backend(&self, backend: i32) {
        let patience_ms = i64::try_from(PATIENCE.as_millis()).expect("BUG: half a minute fits");
        let ended: bool = sqlx::query_scalar("SELECT pg_terminate_backend($1, $2)")
            .bind(backend)
            .bind(patience_ms)
            .fetch_one(&mut self.admin_connection().await)
            .await
            .expect("an administrator may end sessions");
        assert!(ended, "session {backend} does not exist or did not end");
    }

    /// Opens a connection to the administrators' database.
    ///
    /// # Panics
    ///
    /// When the server cannot be reached.
    pub async fn admin_connection(&self) -> PgConnection {
        PgConnection::connect_with(&self.admin)
            .await
            .expect("PostgreSQL can be reached")
    }

    pub(super) fn of(cluster: &Cluster) -> Self {
        let address = cluster.address();
        let admin = PgConnectOptions::new_without_pgpass()
            .host(&address.ip().to_string())
            .port(address.port())
            .username(USER)
            .password(cluster.password())
            .database("postgres");
        Self {
            admin,
            log_path: Some(cluster.log_path()),
        }
    }

    fn external(url: &str) -> Self {
        let admin = PgConnectOptions::from_str(url)
            .unwrap_or_else(|error| panic!("{OVERRIDE} names no PostgreSQL server: {error}"));
        Self {
            admin,
            log_path: None,
        }
    }
}
