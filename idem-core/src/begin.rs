//! `Begin`: what a caller passes to a plain annotated fn, and `Joined`, a transaction of the
//! caller's own that such fns join.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::Transaction;

use crate::call::Call;
use crate::door::Door;
use crate::engine::Engine;
use crate::error::Result;
use crate::fingerprint::FingerprintWriter;
use crate::idem::Idem;
use crate::spec::{Form, Memoize, Spec};
use crate::store::Database;
use crate::tx::Tx;

/// Where a plain operation begins: the first argument of every fn under
/// [`#[idempotent]`](macro@crate::idempotent).
///
/// - `&idem` begins a transaction of its own. From within a running body of the same engine that is
///   [`Error::Nested`](crate::Error::Nested), at once: it would wait for the transaction around it.
/// - `&mut *tx`, the running operation's [`Tx`], joins: the inner operation has its own scope, key
///   and savepoint, and what it wrote and recorded is committed with the outer one or not at all.
/// - `&mut joined`, of [`Idem::join`], joins a transaction that you began.
#[diagnostic::on_unimplemented(
    message = "an operation cannot begin with `{Self}`",
    label = "begins no operation",
    note = "why: the operation runs in a transaction that the engine begins, or in one it joins",
    note = "fix: `&idem`, the engine, as the first argument",
    note = "fix: `&mut *tx` with the running operation's `tx`, to join it",
    note = "fix: `&mut joined`, from `idem.join(transaction)`, to join a transaction of your own"
)]
pub trait Begin<Db: Database>: Send + Sized {
    #[doc(hidden)]
    fn begin<'a>(self) -> Origin<'a, Db>
    where
        Self: 'a;
}

/// What a [`Begin`] comes down to.
#[doc(hidden)]
#[derive(Debug)]
pub enum Origin<'a, Db: Database> {
    Engine(&'a Idem<Db>),
    Joins(&'a mut Tx<Db>),
}

impl<Db: Database> Begin<Db> for &Idem<Db> {
    fn begin<'a>(self) -> Origin<'a, Db>
    where
        Self: 'a,
    {
        Origin::Engine(self)
    }
}

impl<Db: Database> Begin<Db> for &mut Tx<Db> {
    fn begin<'a>(self) -> Origin<'a, Db>
    where
        Self: 'a,
    {
        Origin::Joins(self)
    }
}

impl<Db: Database> Begin<Db> for &mut Joined<Db> {
    fn begin<'a>(self) -> Origin<'a, Db>
    where
        Self: 'a,
    {
        Origin::Joins(self.tx.as_mut().expect(ENDED))
    }
}

/// Starts one call of a plain fn: the transaction its body will work with, and who drives it.
#[doc(hidden)]
pub fn begin<'a, Db: Database, B: Begin<Db> + 'a>(
    begin: B,
    spec: &'static Spec,
    fingerprint: FingerprintWriter,
) -> (Tx<Db>, Door<'a, Db>) {
    match begin.begin() {
        Origin::Engine(idem) => {
            let call = Call::new(Arc::clone(idem.engine()), spec, false);
            let tx = Tx::new(Arc::clone(&call), fingerprint, None);
            (tx, Door::new(call, None))
        }
        Origin::Joins(outer) => {
            let call = Call::new(Arc::clone(outer.engine()), spec, false);
            let (loan, home) = outer.lend();
            let tx = Tx::new(Arc::clone(&call), fingerprint, Some(loan));
            (tx, Door::new(call, Some((outer, home))))
        }
    }
}

/// What stands for the transaction around operations that joined one of the caller's own.
static JOINED: Spec = Spec {
    scope: "joined transaction",
    form: Form::Plain,
    key: "",
    file: file!(),
    line: line!(),
    ttl: Duration::ZERO,
    wait: None,
    timeout: None,
    memoize: Memoize::Success,
};

const ENDED: &str = "BUG: a joined transaction is taken only to end it";

/// A transaction that you began and that plain operations join, made by [`Idem::join`].
///
/// It dereferences to sqlx's connection, for statements of your own. Dropped, it is rolled back with
/// everything that joined.
#[derive(Debug)]
pub struct Joined<Db: Database> {
    /// `None` once it is being ended.
    tx: Option<Tx<Db>>,
}

impl<Db: Database> Joined<Db> {
    pub(crate) async fn new(
        engine: &Arc<Engine<Db>>,
        transaction: Transaction<'static, Db>,
    ) -> Result<Self> {
        let claimed = engine.adopt(transaction).await?;
        let call = Call::new(Arc::clone(engine), &JOINED, false);
        Ok(Joined {
            tx: Some(Tx::running(call, claimed)),
        })
    }

    /// Commits the transaction; from then on retries of what joined it are answered.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) when everything was undone, because a
    /// statement had failed or a join had been dropped, or when the reply to `COMMIT` was lost: the
    /// same keys are safe. [`Error::TransactionEnded`](crate::Error::TransactionEnded) when a body
    /// that joined had ended the transaction.
    pub async fn commit(self) -> Result<()> {
        let (engine, tx) = self.taken();
        engine.commit_adopted(&JOINED, tx).await
    }

    /// Rolls the transaction back, with everything that joined it.
    ///
    /// # Errors
    /// [`Error::TransactionEnded`](crate::Error::TransactionEnded) when a body that joined had ended
    /// the transaction, and may have committed it.
    pub async fn rollback(self) -> Result<()> {
        let (engine, tx) = self.taken();
        engine.roll_back_adopted(&JOINED, tx).await
    }

    fn taken(mut self) -> (Arc<Engine<Db>>, Tx<Db>) {
        let tx = self.tx.take().expect(ENDED);
        (Arc::clone(tx.engine()), tx)
    }
}

impl<Db: Database> Deref for Joined<Db> {
    type Target = Db::Connection;

    fn deref(&self) -> &Db::Connection {
        self.tx.as_ref().expect(ENDED)
    }
}

impl<Db: Database> DerefMut for Joined<Db> {
    fn deref_mut(&mut self) -> &mut Db::Connection {
        self.tx.as_mut().expect(ENDED)
    }
}

impl<Db: Database> Drop for Joined<Db> {
    fn drop(&mut self) {
        let Some(tx) = self.tx.take() else { return };
        // Without a runtime it is left to sqlx, which rolls back.
        if let (true, Ok(runtime)) = (tx.has_ended(), tokio::runtime::Handle::try_current()) {
            let engine = Arc::clone(tx.engine());
            runtime.spawn(async move {
                // Nobody is left to hear of it; what matters is recorded.
                let _ = engine.roll_back_adopted(&JOINED, tx).await;
            });
        }
    }
}
