//! `Session`: a connection inside an open transaction, safe to drop at any moment.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool, Transaction};
use sqlx_core::transaction::TransactionManager;
use tokio::sync::OwnedSemaphorePermit;

/// A connection with an open transaction.
///
/// Dropping it rolls back: the `ROLLBACK` is queued and sent before the pool hands the connection
/// out again. While a statement of ours is under way, dropping closes the connection instead,
/// since sqlx 0.9.0 then no longer knows whether a transaction is open.
pub struct Session<Db: Database> {
    pub(super) connection: Connection<Db>,
    /// How deep sqlx counts when no body has a savepoint open.
    base_depth: usize,
    /// Whether the proof that this is still the same transaction is in place: on PostgreSQL its birth,
    /// on SQLite a savepoint.
    pub(super) has_proof: bool,
    /// When the transaction began, where the store's proof is that.
    pub(super) birth: f64,
    /// Whether an expired record is there to be replaced, where the store wants to know.
    pub(super) replaces: bool,
    /// The same of the operations around each savepoint of a join.
    around: Vec<bool>,
    /// The server's process behind the connection, where there is one.
    pub(super) backend: i32,
    /// Whether nobody knows the connection's state just now.
    pub(super) unsure: bool,
    /// The place at the head of the queue of writers, where the store has one.
    pub(super) writer: Option<OwnedSemaphorePermit>,
}

/// The savepoint of an operation that joined: how many others were open around it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Savepoint(usize);

impl std::fmt::Display for Savepoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "idem_join_{}", self.0)
    }
}

/// Whose transaction it is.
pub(super) enum Connection<Db: Database> {
    /// The engine's own.
    Pooled(PoolConnection<Db>),
    /// One that the user began, and ends; `None` once it was given back.
    Adopted(Option<Transaction<'static, Db>>),
}

impl<Db: Database> Session<Db> {
    fn new(connection: Connection<Db>, base_depth: usize) -> Self {
        Session {
            connection,
            base_depth,
            has_proof: false,
            birth: 0.0,
            replaces: false,
            around: Vec::new(),
            backend: 0,
            unsure: false,
            writer: None,
        }
    }

    /// A connection from `pool`, with no transaction yet.
    pub(super) async fn acquire(pool: &Pool<Db>) -> sqlx::Result<Self> {
        // Boxed, since sqlx's future has more than 8 KiB and each future around it would, too.
        let connection = Box::pin(pool.acquire()).await?;
        Ok(Session::new(Connection::Pooled(connection), 1))
    }

    /// A transaction that the user began.
    pub(crate) fn adopt(transaction: Transaction<'static, Db>) -> Self {
        let depth = Db::TransactionManager::get_transaction_depth(&transaction);
        Session::new(Connection::Adopted(Some(transaction)), depth)
    }

    /// The transaction that the user began, to end it.
    pub(crate) fn into_adopted(mut self) -> Option<Transaction<'static, Db>> {
        match &mut self.connection {
            Connection::Pooled(_) => None,
            Connection::Adopted(transaction) => transaction.take(),
        }
    }

    /// Whether the engine began the transaction, and may begin others on its connection.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.connection, Connection::Pooled(_))
    }

    pub(crate) fn connection(&self) -> &Db::Connection {
        &self.connection
    }

    pub(crate) fn connection_mut(&mut self) -> &mut Db::Connection {
        &mut self.connection
    }

    /// The savepoint for an operation that joins now.
    pub(super) fn next_savepoint(&self) -> Savepoint {
        Savepoint(self.around.len())
    }

    /// Goes inside the next savepoint, for an operation whose own record is `replaces`.
    pub(super) fn enter(&mut self, replaces: bool) {
        self.around
            .push(std::mem::replace(&mut self.replaces, replaces));
    }

    /// Back among the operations around `savepoint`.
    pub(super) fn leave(&mut self, savepoint: Savepoint) {
        if let Some(replaces) = self.around.get(savepoint.0) {
            self.replaces = *replaces;
        }
        self.around.truncate(savepoint.0);
    }

    /// How many transactions and savepoints sqlx has open on this connection.
    pub(super) fn depth(&self) -> usize {
        Db::TransactionManager::get_transaction_depth(&self.connection)
    }

    /// Whether this is a transaction with no savepoint open in it.
    pub(crate) fn is_outermost(&self) -> bool {
        self.depth() == 1
    }

    /// Whether no savepoint of a body's is open.
    pub(crate) fn is_at_base(&self) -> bool {
        self.depth() == self.base_depth
    }
}

const GIVEN_BACK: &str = "BUG: a session is gone once its transaction was given back";

impl<Db: Database> Deref for Connection<Db> {
    type Target = Db::Connection;

    fn deref(&self) -> &Db::Connection {
        match self {
            Connection::Pooled(connection) => connection,
            Connection::Adopted(transaction) => transaction.as_ref().expect(GIVEN_BACK),
        }
    }
}

impl<Db: Database> DerefMut for Connection<Db> {
    fn deref_mut(&mut self) -> &mut Db::Connection {
        match self {
            Connection::Pooled(connection) => connection,
            Connection::Adopted(transaction) => transaction.as_mut().expect(GIVEN_BACK),
        }
    }
}

impl<Db: Database> Drop for Session<Db> {
    fn drop(&mut self) {
        match &mut self.connection {
            Connection::Pooled(connection) if self.unsure => connection.close_on_drop(),
            Connection::Pooled(connection) => {
                for _ in 0..Db::TransactionManager::get_transaction_depth(connection) {
                    Db::TransactionManager::start_rollback(connection);
                }
            }
            // sqlx rolls it back when it is dropped, and has savepoints in there undone with it.
            Connection::Adopted(_) => {}
        }
    }
}

impl<Db: Database> std::fmt::Debug for Session<Db> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("unsure", &self.unsure)
            .finish_non_exhaustive()
    }
}
