//! A database for one test.

use std::net::SocketAddr;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgPool};

/// A PostgreSQL database that only one test uses.
///
/// On a server that was started here it ends with the server; on the one that
/// `IDEM_TEST_POSTGRES_URL` names it is dropped with this value, whoever still uses it.
#[derive(Debug)]
pub struct TestDatabase {
    options: PgConnectOptions,
    name: String,
    dropped_by: Option<PgConnectOptions>,
}

impl TestDatabase {
    pub(super) async fn create(admin: &PgConnectOptions, drop_later: bool) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let ordinal = MADE.fetch_add(1, Ordering::Relaxed);
        let nonce = fastrand::u32(..);
        let name = format!("idem_test_{}_{ordinal}_{nonce:08x}", process::id());
        let mut connection = PgConnection::connect_with(admin)
            .await
            .expect("PostgreSQL can be reached");
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await
            .expect("a database can be created");
        connection
            .close()
            .await
            .expect("a connection can be closed");
        let options = admin.clone().database(&name);
        Self {
            options,
            name,
            dropped_by: drop_later.then(|| admin.clone()),
        }
    }

    /// Gives the database's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives the URL that other processes open the database by, password included.
    #[must_use]
    pub fn url(&self) -> String {
        self.options.to_url_lossy().into()
    }

    /// Gives the options behind [`TestDatabase::pool`].
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// Gives the address of the server, for a [`Proxy`](crate::proxy::Proxy) in front of it.
    ///
    /// # Panics
    ///
    /// When the server is named by other than an IP address, which `IDEM_TEST_POSTGRES_URL` may.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        let host = self.options.get_host();
        let ip = host
            .parse()
            .unwrap_or_else(|_| panic!("`{host}` is no IP address"));
        SocketAddr::new(ip, self.options.get_port())
    }

    /// Gives the options to reach the database at another address, such as a proxy's.
    #[must_use]
    pub fn options_at(&self, address: SocketAddr) -> PgConnectOptions {
        self.options()
            .host(&address.ip().to_string())
            .port(address.port())
    }

    /// Gives the URL to reach the database at another address, such as a proxy's.
    #[must_use]
    pub fn url_at(&self, address: SocketAddr) -> String {
        self.options_at(address).to_url_lossy().into()
    }

    /// Opens a pool of up to `max_connections` connections.
    ///
    /// # Panics
    ///
    /// When the database cannot be reached.
    pub async fn pool(&self, max_connections: u32) -> PgPool {
        pool(self.options(), max_connections).await
    }

    /// Opens a pool whose connections go through `address`, such as a proxy's.
    ///
    /// # Panics
    ///
    /// When the database cannot be reached.
    pub async fn pool_at(&self, address: SocketAddr, max_connections: u32) -> PgPool {
        pool(self.options_at(address), max_connections).await
    }

    /// Opens one connection.
    ///
    /// # Panics
    ///
    /// When the database cannot be reached.
    pub async fn connection(&self) -> PgConnection {
        PgConnection::connect_with(&self.options)
            .await
            .expect("PostgreSQL can be reached")
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Some(admin) = self.dropped_by.take() else {
            return;
        };
        let statement = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        // The test's own runtime may be ending, and cannot be blocked on from here.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async {
                let mut connection = PgConnection::connect_with(&admin).await?;
                sqlx::raw_sql(AssertSqlSafe(statement))
                    .execute(&mut connection)
                    .await?;
                connection.close().await
            })
        });
        match dropping.join() {
            Ok(Ok(())) => {}
            problem => eprintln!("database {} stays behind: {problem:?}", self.name),
        }
    }
}

async fn pool(options: PgConnectOptions, max_connections: u32) -> PgPool {
    PgPoolOptions::new()
        .max_connections(max_connections)
        .connect_with(options)
        .await
        .expect("PostgreSQL can be reached")
}
