//! `Store`: what the engine asks of a database. One implementation per database, one contract.
//!
//! A store moves a key between four states and leaves every decision about duplicates to
//! [`decide`](crate::engine::decide::decide):
//!
//! - **free**: `claim` begins a transaction and takes the key for its length;
//! - **running**: another session holds it;
//! - **done**: a live record exists; `claim` returns it and holds nothing;
//! - **expired**: a record whose time has passed by the *database's* clock is as good as none.
//!
//! `record` writes the memo as the last statement of the claim's own transaction, and only if that
//! is still the transaction `claim` began. The record's primary key has the last word: should two
//! sessions ever run one operation, one of them cannot record and is undone.

#[cfg(feature = "postgres")]
mod postgres;
pub(crate) mod session;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::future::Future;
use std::time::{Duration, Instant};

use crate::engine::decide::Inputs;
use crate::error::Result;
use crate::fingerprint::Fingerprint;
use crate::key::Identity;
use crate::memo::Memo;
use session::{Savepoint, Session};

/// A database `idem` can keep its records in: `sqlx::Postgres` (feature `postgres`) or
/// `sqlx::Sqlite` (feature `sqlite`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a database idem can keep its records in",
    label = "not one of idem's databases",
    note = "fix: use `sqlx::Postgres` or `sqlx::Sqlite`, and enable the feature of idem-core with its name"
)]
pub trait Database: sqlx::Database + Sync + sealed::Sealed {
    #[doc(hidden)]
    type Store: Store<Db = Self>;
}

mod sealed {
    pub trait Sealed {}
    #[cfg(feature = "postgres")]
    impl Sealed for sqlx::Postgres {}
    #[cfg(feature = "sqlite")]
    impl Sealed for sqlx::Sqlite {}
}

#[cfg(feature = "postgres")]
impl Database for sqlx::Postgres {
    type Store = postgres::PostgresStore;
}

#[cfg(feature = "sqlite")]
impl Database for sqlx::Sqlite {
    type Store = sqlite::SqliteStore;
}

/// One attempt of one operation, as stores and memory know it.
#[derive(Debug)]
pub struct Attempt {
    pub(crate) identity: Identity,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) scope: &'static str,
    pub(crate) readable_key: String,
}

/// A finished operation, read from a store.
#[derive(Debug)]
pub struct Record {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) memo: Memo,
    /// Until it expires, by the database's clock; `None`: never.
    pub(crate) remaining: Option<Duration>,
}

/// What a claim met.
#[derive(Debug)]
pub enum Claim<Free> {
    /// The key was free and is taken until the transaction, or the savepoint, ends.
    Free(Free),
    /// Another session holds the key.
    Running(Inputs),
    /// The operation is done.
    Done(Record),
}

impl<Free> Claim<Free> {
    /// The same, with something else for a free key.
    pub(crate) fn map<Other>(self, other: impl FnOnce(Free) -> Other) -> Claim<Other> {
        match self {
            Claim::Free(free) => Claim::Free(other(free)),
            Claim::Running(inputs) => Claim::Running(inputs),
            Claim::Done(record) => Claim::Done(record),
        }
    }
}

/// See the [module's](self) contract.
///
/// No future of a store needs to be polled to its end: a session dropped inside one is closed or
/// rolled back, never handed to the next user of its pool inside an open transaction.
pub trait Store: Send + Sync + Sized + 'static {
    type Db: sqlx::Database;

    /// Refuses pools that cannot keep the promise.
    fn new(pool: sqlx::Pool<Self::Db>) -> Result<Self>;

    /// Creates or upgrades the tables; safe from many processes at once.
    fn setup(&self) -> impl Future<Output = Result<()>> + Send;

    /// Verifies tables, functions and rights without changing anything.
    fn check(&self) -> impl Future<Output = Result<()>> + Send;

    /// The live record of a finished operation, without claiming or waiting for anything.
    fn find(&self, attempt: &Attempt) -> impl Future<Output = Result<Option<Record>>> + Send;

    /// Begins a transaction without a claim, for a request that carries no key.
    fn begin(&self, patience: Instant) -> impl Future<Output = Result<Session<Self::Db>>> + Send;

    /// Begins a transaction and tries to claim, where it must wait for others until `patience`; on `session`'s connection if one is given, whose
    /// own transaction must have ended.
    fn claim(
        &self,
        session: Option<Session<Self::Db>>,
        attempt: &Attempt,
        patience: Instant,
    ) -> impl Future<Output = Result<Claim<Session<Self::Db>>>> + Send;

    /// Makes a transaction that somebody else began ready for joins, or says why it cannot be.
    fn adopt(&self, session: &mut Session<Self::Db>) -> impl Future<Output = Result<()>> + Send;

    /// Sets a savepoint and tries to claim inside it; met by anything but a free key, goes back to
    /// it at once. After an error, nobody knows whether it is still there.
    fn join(
        &self,
        session: &mut Session<Self::Db>,
        attempt: &Attempt,
    ) -> impl Future<Output = Result<Claim<Savepoint>>> + Send;

    /// Keeps what was done since the savepoint of [`join`](Self::join), for the transaction around
    /// it to commit.
    fn keep(
        &self,
        session: &mut Session<Self::Db>,
        savepoint: Savepoint,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Undoes everything since the savepoint of [`join`](Self::join), its claim and whatever
    /// savepoints were left in there included.
    fn back(
        &self,
        session: &mut Session<Self::Db>,
        savepoint: Savepoint,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Records `memo` in the claim's transaction; `ttl` runs from now, `None` for ever.
    fn record(
        &self,
        session: &mut Session<Self::Db>,
        attempt: &Attempt,
        memo: &Memo,
        ttl: Option<Duration>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Whether the body left the claim's transaction alone. Asked before a rollback, since what
    /// a body committed by itself a rollback does not undo.
    fn is_intact(&self, session: &mut Session<Self::Db>) -> impl Future<Output = bool> + Send;

    /// Commits; its error may mean that the reply was lost.
    fn commit(&self, session: &mut Session<Self::Db>) -> impl Future<Output = Result<()>> + Send;

    /// Undoes everything since the claim, whatever state the body left the connection in.
    fn rollback(&self, session: &mut Session<Self::Db>) -> impl Future<Output = ()> + Send;

    /// Gives up a session whose connection does not answer, and ends what still runs on it, as far
    /// as the database lets it, so that the key is free.
    fn abandon(
        &self,
        session: Session<Self::Db>,
        attempt: &Attempt,
    ) -> impl Future<Output = ()> + Send;

    /// Deletes a finished record; whether there was one.
    fn forget(&self, identity: &Identity) -> impl Future<Output = Result<bool>> + Send;
}
