//! `Session`: a pooled connection inside an open transaction, safe to drop at any moment.

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool};
use sqlx_core::transaction::TransactionManager;
use tokio::sync::OwnedSemaphorePermit;

/// A connection with an open transaction.
///
/// Dropping it rolls back: the `ROLLBACK` is queued and sent before the pool hands the connection
/// out again. While a statement of ours is under way, dropping closes the connection instead,
/// since sqlx 0.9.0 then no longer knows whether a transaction is open.
pub struct Session<Db: Database> {
    pub(super) connection: PoolConnection<Db>,
    /// What must still hold when the memo is recorded, where the store's proof is a number.
    pub(super) birth: f64,
    /// Whether an expired record is there to be replaced, where the store wants to know.
    pub(super) replaces: bool,
    /// The server's process behind the connection, where there is one.
    pub(super) backend: i32,
    /// Whether nobody knows the connection's state just now.
    pub(super) unsure: bool,
    /// The place at the head of the queue of writers, where the store has one.
    pub(super) writer: Option<OwnedSemaphorePermit>,
}

impl<Db: Database> Session<Db> {
    fn new(connection: PoolConnection<Db>) -> Self {
        Session {
            connection,
            birth: 0.0,
            replaces: false,
            backend: 0,
            unsure: false,
            writer: None,
        }
    }

    /// A connection from `pool`, with no transaction yet.
    pub(super) async fn acquire(pool: &Pool<Db>) -> sqlx::Result<Self> {
        // Boxed, since sqlx's future has more than 8 KiB and each future around it would, too.
        let connection = Box::pin(pool.acquire()).await?;
        Ok(Session::new(connection))
    }

    pub(crate) fn connection(&self) -> &Db::Connection {
        &self.connection
    }

    pub(crate) fn connection_mut(&mut self) -> &mut Db::Connection {
        &mut self.connection
    }

    /// How many transactions and savepoints sqlx has open on this connection.
    pub(super) fn depth(&self) -> usize {
        Db::TransactionManager::get_transaction_depth(&self.connection)
    }
}

impl<Db: Database> Drop for Session<Db> {
    fn drop(&mut self) {
        if self.unsure {
            self.connection.close_on_drop();
            return;
        }
        for _ in 0..self.depth() {
            Db::TransactionManager::start_rollback(&mut self.connection);
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
