//! Plain operations on one store, whose bodies are the test's closures: included once per store,
//! beside a `store` module with its `Db`.

#![allow(dead_code, reason = "no test binary uses everything on the stage")]

use idem_core::{Builder, Error, Final, Idem, Tx, idempotent};
use idem_test_support::counter::Counter;
use serde::{Deserialize, Serialize};
use sqlx::Executor as _;

use super::store::{Db, Files};

/// What a body on the stage fails with.
#[derive(Debug)]
pub enum Failed {
    Engine(Error),
    Sql(sqlx::Error),
    /// As the test told it to.
    Told,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Engine(error)
    }
}

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Self {
        Failed::Sql(error)
    }
}

/// An error that knows which of its variants end an operation.
#[derive(Debug, PartialEq, Serialize, Deserialize, Final)]
pub enum Refused {
    #[final_error]
    SoldOut { left: u8 },
    #[retryable]
    Busy,
    #[retryable]
    Engine(String),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused::Engine(error.name().to_owned())
    }
}

/// An operation that others are joined to.
#[idempotent(key = id, wait = "2s")]
pub async fn outer(
    tx: &mut Tx<Db>,
    id: u32,
    #[ambient] body: impl AsyncFnOnce(&mut Tx<Db>) -> Result<u32, Failed>,
) -> Result<u32, Failed> {
    body(tx).await
}

/// An operation that joins.
#[idempotent(key = id, wait = "2s")]
pub async fn inner(
    tx: &mut Tx<Db>,
    id: u32,
    _input: u32,
    #[ambient] body: impl AsyncFnOnce(&mut Tx<Db>) -> Result<u32, Failed>,
) -> Result<u32, Failed> {
    body(tx).await
}

/// An operation with final errors.
#[idempotent(key = id)]
pub async fn refusing(
    tx: &mut Tx<Db>,
    id: u32,
    #[ambient] body: impl AsyncFnOnce(&mut Tx<Db>) -> Result<u32, Refused>,
) -> Result<u32, Refused> {
    body(tx).await
}

/// Writes one effect.
pub async fn write(tx: &mut Tx<Db>, run: i64) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO effect (run) VALUES ($1)")
        .bind(run)
        .execute(&mut **tx)
        .await
        .map(drop)
}

/// A database with an engine, and a count of the bodies that ran.
pub struct Shop {
    pub files: Files,
    pub pool: sqlx::Pool<Db>,
    pub idem: Idem<Db>,
    pub runs: Counter,
}

impl Shop {
    pub async fn new() -> Self {
        Self::with(10, |builder| builder).await
    }

    pub async fn with(
        connections: u32,
        configure: impl FnOnce(Builder<Db>) -> Builder<Db>,
    ) -> Self {
        let files = Files::new().await;
        let pool = files.pool(connections).await;
        let idem = configure(Idem::builder(pool.clone())).build().unwrap();
        idem.setup().await.unwrap();
        pool.execute("CREATE TABLE effect (run BIGINT NOT NULL)")
            .await
            .unwrap();
        Shop {
            files,
            pool,
            idem,
            runs: Counter::new(),
        }
    }

    /// Another engine on the same database, as another process would have.
    pub async fn neighbour(&self) -> Idem<Db> {
        Idem::new(self.files.pool(5).await).unwrap()
    }

    /// The committed effects, in order.
    pub async fn effects(&self) -> Vec<i64> {
        sqlx::query_scalar("SELECT run FROM effect ORDER BY run")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    /// How many records there are.
    pub async fn records(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM idem_record")
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }

    /// Runs `inner` by itself: writes its id and answers the number of the run.
    pub async fn inner_alone(&self, id: u32) -> Result<u32, Failed> {
        inner(&self.idem, id, 0, self.counted(id)).await
    }

    /// A body that writes `id` and answers the number of the run.
    pub fn counted(&self, id: u32) -> impl AsyncFnOnce(&mut Tx<Db>) -> Result<u32, Failed> {
        let runs = self.runs.clone();
        async move |tx: &mut Tx<Db>| {
            write(tx, id.into()).await?;
            Ok(u32::try_from(runs.add()).unwrap())
        }
    }
}
