//! A shop whose payments enqueue invoices, and workers that send those: included once per store.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use apalis::prelude::BoxDynError;
use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use futures::future::BoxFuture;
use idem_core::apalis::Enqueue;
use idem_core::axum::{IdempotencyKey, idempotent};
use idem_core::{Builder, Idem, Tx};
use idem_test_support::counter::Counter;
use idem_test_support::http::{self, Answer};
use idem_test_support::patience::PATIENCE;
use sqlx::{AssertSqlSafe, Executor as _};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::queue;
use super::stage::{self, Input, Tenant};
use super::store::{Db, Files};
use super::work::{ChargeError, Invoice};

/// Bodies that tests give, one for each run, in order.
pub struct Bodies<T, E>(Arc<Mutex<VecDeque<Body<T, E>>>>, pub Counter);

type Body<T, E> = Box<dyn for<'a> FnOnce(&'a mut Tx<Db>) -> BoxFuture<'a, Result<T, E>> + Send>;

impl<T, E> Bodies<T, E> {
    fn new() -> Self {
        Bodies(Arc::default(), Counter::new())
    }

    /// Says what the next run that has no body yet does.
    pub fn next<B>(&self, body: B) -> &Self
    where
        B: for<'a> FnOnce(&'a mut Tx<Db>) -> BoxFuture<'a, Result<T, E>> + Send + 'static,
    {
        self.0.lock().unwrap().push_back(Box::new(body));
        self
    }

    fn take(&self) -> Option<Body<T, E>> {
        self.1.add();
        self.0.lock().unwrap().pop_front()
    }

    /// How often a body ran.
    pub fn runs(&self) -> usize {
        self.1.count()
    }
}

impl<E> Bodies<i64, E>
where
    E: From<sqlx::Error>,
{
    /// Runs the body whose turn it is; without one, writes the job's number and answers it.
    pub async fn run(&self, tx: &mut Tx<Db>, number: i64) -> Result<i64, E> {
        match self.take() {
            Some(body) => body(tx).await,
            None => {
                write(tx, number).await?;
                Ok(number)
            }
        }
    }
}

impl<T, E> Clone for Bodies<T, E> {
    fn clone(&self) -> Self {
        Bodies(Arc::clone(&self.0), self.1.clone())
    }
}

/// A row of apalis' table.
#[derive(Debug, PartialEq, sqlx::FromRow)]
pub struct Job {
    pub id: String,
    pub status: String,
    pub attempts: i32,
    pub max_attempts: i32,
    pub priority: i32,
    pub result: Option<String>,
}

#[derive(Clone, FromRef)]
struct Shared {
    idem: Idem<Db>,
    payments: Bodies<StatusCode, StatusCode>,
}

/// A database with an engine, apalis' tables, a handler and whatever workers a test starts.
pub struct Shop {
    pub files: Arc<Files>,
    pub pool: sqlx::Pool<Db>,
    pub idem: Idem<Db>,
    pub payments: Bodies<StatusCode, StatusCode>,
    pub invoices: Bodies<i64, BoxDynError>,
    pub charges: Bodies<i64, ChargeError>,
    router: Router,
}

impl Shop {
    pub async fn new() -> Self {
        Self::with(|builder| builder).await
    }

    pub async fn with(configure: impl FnOnce(Builder<Db>) -> Builder<Db>) -> Self {
        let shop = Self::without_jobs(configure).await;
        queue::create_tables(&shop.pool).await;
        shop
    }

    /// Without apalis' tables.
    pub async fn without_jobs(configure: impl FnOnce(Builder<Db>) -> Builder<Db>) -> Self {
        Self::on(Files::new().await, configure).await
    }

    /// The same in a given place.
    pub async fn on(files: Files, configure: impl FnOnce(Builder<Db>) -> Builder<Db>) -> Self {
        let files = Arc::new(files);
        let pool = queue::pool(&files, 20).await;
        let idem = configure(Idem::builder(pool.clone())).build().unwrap();
        idem.setup().await.unwrap();
        pool.execute("CREATE TABLE effect (run BIGINT NOT NULL)")
            .await
            .unwrap();
        Self::of(files, pool, idem, Bodies::new())
    }

    /// What another process has on the same database; with the same bodies.
    pub async fn neighbour(&self) -> Self {
        let pool = queue::pool(&self.files, 5).await;
        let idem = Idem::new(pool.clone()).unwrap();
        Shop {
            invoices: self.invoices.clone(),
            charges: self.charges.clone(),
            ..Self::of(Arc::clone(&self.files), pool, idem, self.payments.clone())
        }
    }

    fn of(
        files: Arc<Files>,
        pool: sqlx::Pool<Db>,
        idem: Idem<Db>,
        payments: Bodies<StatusCode, StatusCode>,
    ) -> Self {
        let shared = Shared {
            idem: idem.clone(),
            payments: payments.clone(),
        };
        let router = Router::new().route("/pay", post(pay)).with_state(shared);
        Shop {
            files,
            pool,
            idem,
            payments,
            invoices: Bodies::new(),
            charges: Bodies::new(),
            router,
        }
    }

    pub async fn pay(&self, key: &str) -> Answer {
        http::send(&self.router, stage::post("/pay", key, 1)).await
    }

    pub fn spawn_pay(&self, key: &str) -> JoinHandle<Answer> {
        let (router, request) = (self.router.clone(), stage::post("/pay", key, 1));
        tokio::spawn(async move { http::send(&router, request).await })
    }

    /// Enqueues a job in an operation of its own.
    pub async fn enqueue(&self, queue: &'static str, invoice: Invoice) -> String {
        self.enqueue_with(queue, invoice, |job| job).await
    }

    /// The same with options; gives the row's id.
    pub async fn enqueue_with(
        &self,
        queue: &'static str,
        invoice: Invoice,
        options: impl FnOnce(Enqueue<'static>) -> Enqueue<'static>,
    ) -> String {
        let job = options(Enqueue::new(queue, &invoice));
        let (sender, id) = oneshot::channel();
        self.payments.next(move |tx| {
            Box::pin(async move {
                let enqueued = job.through(tx).await.unwrap();
                assert!(enqueued.is_new());
                sender.send(enqueued.id().to_owned()).unwrap();
                Ok(StatusCode::CREATED)
            })
        });
        let key = format!("enqueues-{}", self.payments.runs());
        assert_eq!(self.pay(&key).await.status, StatusCode::CREATED);
        id.await.unwrap()
    }

    /// All rows, in the order of their ids.
    pub async fn jobs(&self) -> Vec<Job> {
        let sql = format!(
            "SELECT id, status, CAST(attempts AS INTEGER) AS attempts,
                    CAST(max_attempts AS INTEGER) AS max_attempts,
                    CAST(priority AS INTEGER) AS priority,
                    CAST(last_result AS TEXT) AS result
               FROM {} ORDER BY id",
            queue::JOBS
        );
        sqlx::query_as(AssertSqlSafe(sql))
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    /// Waits until the only row has this status.
    pub async fn job_is(&self, status: &str) -> Job {
        self.jobs_are(&[status]).await.remove(0)
    }

    /// Waits until the rows have these statuses, in any order.
    pub async fn jobs_are(&self, statuses: &[&str]) -> Vec<Job> {
        let mut expected = statuses.to_vec();
        expected.sort_unstable();
        let mut last = Vec::new();
        let wait = async {
            loop {
                let jobs = self.jobs().await;
                let mut found: Vec<&str> = jobs.iter().map(|job| &*job.status).collect();
                found.sort_unstable();
                if found == expected {
                    return jobs;
                }
                last = jobs;
                // Nothing tells of a change of a row.
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, wait).await {
            Ok(jobs) => jobs,
            Err(_) => panic!("waited {PATIENCE:?} in vain for {statuses:?}, and have {last:#?}"),
        }
    }

    /// Changes every row.
    pub async fn update_jobs(&self, change: &str) {
        let sql = format!("UPDATE {} SET {change}", queue::JOBS);
        self.pool.execute(AssertSqlSafe(sql)).await.unwrap();
    }

    /// The committed effects, in order.
    pub async fn effects(&self) -> Vec<i64> {
        sqlx::query_scalar("SELECT run FROM effect ORDER BY run")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }
}

/// Writes one effect.
pub async fn write(tx: &mut Tx<Db>, run: i64) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO effect (run) VALUES ($1)")
        .bind(run)
        .execute(&mut **tx)
        .await
        .map(drop)
}

#[idempotent(key = (tenant.0, key), ttl = "24h")]
async fn pay(
    State(payments): State<Bodies<StatusCode, StatusCode>>,
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(_input): Json<Input>,
) -> Result<StatusCode, StatusCode> {
    match payments.take() {
        Some(body) => body(tx).await,
        None => Ok(StatusCode::CREATED),
    }
}
