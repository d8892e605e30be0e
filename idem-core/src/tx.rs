//! `Tx`: the transaction a body writes through, which also holds its key.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::Serialize;

use crate::call::Call;
use crate::engine::{Claimed, Engine, Home, Loan};
use crate::error::Result;
use crate::fingerprint::FingerprintWriter;
use crate::key::{DerivedKey, Identity, Key};
use crate::store::Database;

/// The transaction that holds the operation's key. Whatever the body writes through it is committed
/// together with the answer, or not at all.
///
/// It dereferences to sqlx's connection: `query.execute(&mut **tx)`. It has no `commit` and no
/// `rollback`, since the engine ends it; a raw `COMMIT` or `ROLLBACK` sent through it is caught and
/// answered with [`Error::TransactionEnded`](crate::Error::TransactionEnded). A savepoint of your
/// own is fine: `sqlx::Connection::begin(&mut **tx)`.
///
/// On PostgreSQL it is READ COMMITTED, whatever the database's default.
///
/// # Panics
/// When it is used after an operation that joined it was dropped before that ended (a timeout around
/// the join): whether a transaction is still open then, sqlx 0.9 does not say, so a write could be
/// committed by itself. Everything is undone; return an error instead.
pub struct Tx<Db: Database> {
    call: Arc<Call<Db>>,
    /// What must match on reuse, until the claim takes it.
    fingerprint: Option<FingerprintWriter>,
    /// The transaction it joins, until the claim takes it.
    joins: Option<Loan<Db>>,
    /// `None` before the claim and after the body.
    claimed: Option<Claimed<Db>>,
    /// What keys for other systems are derived from; `None` before the claim.
    identity: Option<Identity>,
    /// What the jobs it enqueues are told apart by.
    #[cfg(feature = "apalis")]
    jobs: crate::apalis::Names,
}

impl<Db: Database> Tx<Db> {
    pub(crate) fn new(
        call: Arc<Call<Db>>,
        fingerprint: FingerprintWriter,
        joins: Option<Loan<Db>>,
    ) -> Self {
        Tx {
            call,
            fingerprint: Some(fingerprint),
            joins,
            claimed: None,
            identity: None,
            #[cfg(feature = "apalis")]
            jobs: crate::apalis::Names::default(),
        }
    }

    /// A key for a call to another system, derived from this operation and `name`: every attempt
    /// of the operation derives the same, so that the other side can tell a retry from a new call.
    ///
    /// A new value made in the body would differ on each attempt, and an attempt that was rolled
    /// back would be repeated at the other side. Give each call of one body a name of its own.
    ///
    /// It repeats when the key is used again after `ttl`, so keep `ttl` at least as long as the
    /// other side remembers keys. A request that carries no key (`missing_key = run`) has no retry
    /// to be told from: each run derives other keys.
    ///
    /// ```
    /// # #[cfg(feature = "sqlite")]
    /// # fn example(tx: &mut idem_core::Tx<sqlx::Sqlite>) {
    /// let charge = http::Request::post("https://pay.example/charges")
    ///     .header("Idempotency-Key", tx.derive_key("charge"));
    /// # }
    /// ```
    pub fn derive_key(&self, name: &str) -> DerivedKey {
        DerivedKey::new(self.identity.as_ref().expect(UNCLAIMED), name)
    }

    /// Names the next job that this run enqueues.
    #[cfg(feature = "apalis")]
    pub(crate) fn name_job(&mut self, queue: &str) -> String {
        let operation = self.identity.as_ref().expect(UNCLAIMED);
        self.jobs.next(operation, queue)
    }

    pub(crate) fn take_claimed(mut self) -> Option<Claimed<Db>> {
        self.claimed.take()
    }

    /// Whether a body that joined has ended the transaction.
    pub(crate) fn has_ended(&self) -> bool {
        let unit = self
            .claimed
            .as_ref()
            .and_then(|claimed| claimed.loan.unit());
        unit.is_some_and(|unit| unit.has_ended())
    }

    pub(crate) fn engine(&self) -> &Arc<Engine<Db>> {
        &self.call.engine
    }

    /// One that runs already, without a key of its own.
    pub(crate) fn running(call: Arc<Call<Db>>, claimed: Claimed<Db>) -> Self {
        Tx {
            call,
            fingerprint: None,
            joins: None,
            claimed: Some(claimed),
            identity: None,
            #[cfg(feature = "apalis")]
            jobs: crate::apalis::Names::default(),
        }
    }

    /// Lends its transaction to an operation that joins.
    pub(crate) fn lend(&mut self) -> (Loan<Db>, Home<Db>) {
        let claimed = self.claimed.as_mut();
        claimed.expect(UNCLAIMED).loan.lend()
    }

    /// Takes back what was lent.
    pub(crate) fn take_back(&mut self, home: &Home<Db>) {
        if let Some(claimed) = &mut self.claimed {
            claimed.loan.take_back(home);
        }
    }
}

const UNCLAIMED: &str = "the transaction is with an operation that joined it and was never ended";

impl<Db: Database> Deref for Tx<Db> {
    type Target = Db::Connection;

    fn deref(&self) -> &Db::Connection {
        let unit = self
            .claimed
            .as_ref()
            .and_then(|claimed| claimed.loan.unit());
        unit.expect(UNCLAIMED).connection()
    }
}

impl<Db: Database> DerefMut for Tx<Db> {
    fn deref_mut(&mut self) -> &mut Db::Connection {
        let unit = self
            .claimed
            .as_mut()
            .and_then(|claimed| claimed.loan.unit_mut());
        unit.expect(UNCLAIMED).connection_mut()
    }
}

impl<Db: Database> Drop for Tx<Db> {
    fn drop(&mut self) {
        if let Some(claimed) = self.claimed.take() {
            self.call.abandon(claimed);
        }
    }
}

impl<Db: Database> std::fmt::Debug for Tx<Db> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx")
            .field("scope", &self.call.spec.scope)
            .finish_non_exhaustive()
    }
}

/// The type behind an operation's `&mut _` parameter; decides how its body runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot carry an idempotent operation",
    label = "not a context",
    note = "why: the body's writes must be in the transaction that also records the answer",
    note = "fix: `tx: &mut Tx<Postgres>` or `tx: &mut Tx<Sqlite>`, with `use idem_core::Tx`"
)]
pub trait Context: Send {
    /// The database of the engine it needs.
    type Db: Database;

    #[doc(hidden)]
    fn replace_fingerprint<T: Serialize + ?Sized>(&mut self, value: &T);

    #[doc(hidden)]
    fn claim(&mut self, key: Result<Key>) -> impl Future<Output = ()> + Send;
}

impl<Db: Database> Context for Tx<Db> {
    type Db = Db;

    fn replace_fingerprint<T: Serialize + ?Sized>(&mut self, value: &T) {
        if let Some(fingerprint) = &mut self.fingerprint {
            fingerprint.value(value);
        }
    }

    async fn claim(&mut self, key: Result<Key>) {
        let fingerprint = self
            .fingerprint
            .take()
            .expect("BUG: an operation claims once");
        let joins = self.joins.take();
        let claimed = self.call.claim(key, fingerprint, joins).await;
        self.identity = Some(match &claimed.held {
            Some(held) => held.attempt.identity,
            None => Identity::unrepeated(),
        });
        self.claimed = Some(claimed);
    }
}
