//! `Idem`: the engine as users hold it, and its builder.

use std::sync::Arc;
use std::time::Duration;

use crate::begin::Joined;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key::{Key, KeyPart};
use crate::registry;
use crate::store::{Database, Store};

/// The engine for one database and schema. Clones are cheap and share everything.
///
/// Everything it keeps in memory (waiting copies, recent answers) belongs to it and its clones, so
/// make one per database and schema and clone it. It uses its pool only, which must lead to the
/// primary.
pub struct Idem<Db: Database> {
    engine: Arc<Engine<Db>>,
}

impl<Db: Database> Idem<Db> {
    /// An engine with every default; [`builder`](Self::builder) lists them.
    ///
    /// # Errors
    /// [`Error::NotReady`] for a pool that cannot keep the promise, such as a SQLite in-memory
    /// database with more than one connection; when two operations of this binary have one scope.
    pub fn new(pool: sqlx::Pool<Db>) -> Result<Self> {
        Self::builder(pool).build()
    }

    /// Starts configuring an engine on `pool`.
    pub fn builder(pool: sqlx::Pool<Db>) -> Builder<Db> {
        Builder {
            pool,
            settings: Settings::default(),
            #[cfg(feature = "axum")]
            docs_url: None,
        }
    }

    /// Creates the tables, or upgrades those of an earlier release. Safe from many processes at
    /// once. The same statements are under `idem-core/migrations/`, for your own migrations.
    ///
    /// # Errors
    /// [`Error::NotReady`] when the tables cannot be created or used as they are,
    /// [`Error::Unavailable`] when the database cannot be reached.
    pub async fn setup(&self) -> Result<()> {
        self.engine.store().setup().await
    }

    /// Verifies the tables and this role's rights, and changes nothing.
    ///
    /// # Errors
    /// As for [`setup`](Self::setup).
    pub async fn check(&self) -> Result<()> {
        self.engine.store().check().await
    }

    /// Drops a finished record, so that its key is free again; whether there was one.
    ///
    /// For operators: after [`Error::TransactionEnded`] or [`Error::MemoUnreadable`], once it is
    /// clear what the operation did. `key` is what the operation's `key = ..` evaluates to. Caches
    /// of other processes follow within 60 seconds.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the database cannot be reached; the record may be gone.
    pub async fn forget(&self, scope: &str, key: impl KeyPart) -> Result<bool> {
        self.engine.forget(scope, &Key::new(&key)?).await
    }

    /// Starts no more operations, and waits up to `patience` for those that are running; returns
    /// how many still run then.
    ///
    /// New operations are refused with [`Error::Draining`]; replays go on. Call it when the process
    /// is asked to stop, before the runtime is dropped: a body whose client hung up goes on in a
    /// task of its own, which a server's graceful shutdown does not wait for.
    pub async fn drain(&self, patience: Duration) -> usize {
        self.engine.drain(patience).await
    }

    /// Makes a transaction that you began ready for plain operations to join, with
    /// `pay(&mut joined, ..)`. It must come from a pool (`pool.begin()`), of this engine's database,
    /// and be READ COMMITTED on PostgreSQL. On SQLite it takes the write lock: until it ends, operations
    /// begun with `&idem` wait for it, so pass them the joined transaction.
    ///
    /// ```
    /// # #[cfg(feature = "sqlite")]
    /// # async fn example(idem: idem_core::Idem<sqlx::Sqlite>, pool: sqlx::SqlitePool)
    /// #     -> Result<(), Box<dyn std::error::Error>> {
    /// let mut joined = idem.join(pool.begin_with("BEGIN IMMEDIATE").await?).await?;
    /// sqlx::query("UPDATE stock SET left = left - 1").execute(&mut *joined).await?;
    /// // pay(&mut joined, ..).await?;
    /// joined.commit().await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotReady`] for a transaction that cannot see what others recorded since it began,
    /// [`Error::Unavailable`] when the database cannot be reached or is locked; in both cases the
    /// transaction is rolled back.
    pub async fn join(&self, transaction: sqlx::Transaction<'static, Db>) -> Result<Joined<Db>> {
        Joined::new(&self.engine, transaction).await
    }

    pub(crate) fn engine(&self) -> &Arc<Engine<Db>> {
        &self.engine
    }
}

impl<Db: Database> Clone for Idem<Db> {
    fn clone(&self) -> Self {
        Idem {
            engine: Arc::clone(&self.engine),
        }
    }
}

impl<Db: Database> std::fmt::Debug for Idem<Db> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Idem")
            .field("settings", &self.engine.settings)
            .finish_non_exhaustive()
    }
}

/// Configures an [`Idem`].
#[must_use = "a builder does nothing until `build()`"]
#[derive(Debug)]
pub struct Builder<Db: Database> {
    pool: sqlx::Pool<Db>,
    settings: Settings,
    #[cfg(feature = "axum")]
    docs_url: Option<String>,
}

impl<Db: Database> Builder<Db> {
    /// Keeps this engine's keys apart from those of other namespaces in the same tables. Default:
    /// empty.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.settings.namespace = namespace.into();
        self
    }

    /// How long a duplicate waits for the running attempt before [`Error::InFlight`], where the
    /// operation does not say. Default: 5 seconds.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.settings.wait = wait;
        self
    }

    /// How long claim, body and buffering of an operation may take before it is rolled back and
    /// answered with [`Error::Unavailable`], where the operation does not say. Default: 60 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// The largest answer that is recorded, in bytes; a larger one is [`Error::MemoTooLarge`] and
    /// everything is rolled back. Default: 1 MiB.
    pub fn max_memo(mut self, bytes: usize) -> Self {
        self.settings.max_memo_bytes = bytes;
        self
    }

    /// How many bytes of recent answers are kept in memory; 0 keeps none. Default: 8 MiB. An entry
    /// lives 60 seconds at most, and never past its ttl.
    pub fn cache(mut self, bytes: u64) -> Self {
        self.settings.cache_bytes = bytes;
        self
    }

    /// A page about your API's use of keys, linked from answers to a missing or malformed
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07, section 2.7). Must be a
    /// URI. Default: none.
    #[cfg(feature = "axum")]
    pub fn docs_url(mut self, url: impl Into<String>) -> Self {
        self.docs_url = Some(url.into());
        self
    }

    /// Which header lines of an answer are stored and replayed. Default: all but those that belong
    /// to one exchange, see [`StoredHeaders`](crate::axum::StoredHeaders).
    #[cfg(feature = "axum")]
    pub fn stored_headers(mut self, headers: crate::axum::StoredHeaders) -> Self {
        self.settings.stored_headers = headers;
        self
    }

    /// Builds the engine. Connects to nothing.
    ///
    /// # Errors
    /// [`Error::NotReady`] for a pool that cannot keep the promise, or a setting that makes no
    /// sense: a timeout of zero, or a `docs_url` that cannot stand in a header. The same when two
    /// operations of this binary have one scope, since each would answer the other's retries.
    pub fn build(self) -> Result<Idem<Db>> {
        registry::check_scopes()?;
        #[cfg_attr(
            not(feature = "axum"),
            expect(unused_mut, reason = "axum's settings only")
        )]
        let mut settings = self.settings;
        if settings.timeout.is_zero() {
            return Err(Error::not_ready(
                "a `timeout` of zero lets no operation run",
            ));
        }
        #[cfg(feature = "axum")]
        if let Some(url) = &self.docs_url {
            let link = crate::axum::docs_link(url);
            let refused = || Error::not_ready("`docs_url` is no URI that fits a `Link` header");
            settings.docs_link = Some(link.ok_or_else(refused)?);
        }
        let store = Db::Store::new(self.pool)?;
        Ok(Idem {
            engine: Arc::new(Engine::new(store, settings)),
        })
    }
}

/// What a [`Builder`] sets.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) namespace: String,
    pub(crate) wait: Duration,
    pub(crate) timeout: Duration,
    pub(crate) max_memo_bytes: usize,
    pub(crate) cache_bytes: u64,
    #[cfg(feature = "axum")]
    pub(crate) docs_link: Option<http::HeaderValue>,
    #[cfg(feature = "axum")]
    pub(crate) stored_headers: crate::axum::StoredHeaders,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            namespace: String::new(),
            wait: Duration::from_secs(5),
            timeout: Duration::from_secs(60),
            max_memo_bytes: 1 << 20,
            cache_bytes: 8 << 20,
            #[cfg(feature = "axum")]
            docs_link: None,
            #[cfg(feature = "axum")]
            stored_headers: crate::axum::StoredHeaders::default(),
        }
    }
}
