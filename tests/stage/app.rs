//! The app on one store: included once per store, beside a `store` module with its `Db`.

#![allow(dead_code, reason = "no test binary uses everything on the stage")]

use axum::extract::{FromRef, State};
use axum::routing::post;
use axum::{Json, Router};
use idem_core::axum::{IdempotencyKey, idempotent};
use idem_core::{Builder, Idem, Tx};
use idem_test_support::http::{self, Answer};
use sqlx::Executor as _;

use super::stage::{self, Input, Script, Step, Tenant};
use super::store::{Db, Files};

/// The scope of `/op`. The default, which differs per store: the stage is compiled for both into
/// one binary, and there each scope must be the only one of its name.
pub const OP: &str = concat!(module_path!(), "::op");

/// A fresh database, an engine on it, and handlers that follow the script.
pub struct App {
    pub files: Files,
    pub pool: sqlx::Pool<Db>,
    pub idem: Idem<Db>,
    pub script: Script,
    pub router: Router,
}

#[derive(Clone, FromRef)]
struct Shared {
    idem: Idem<Db>,
    script: Script,
}

impl App {
    /// A stage with a pool of 20 connections and every default.
    pub async fn new() -> Self {
        Self::with(20, |builder| builder).await
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
        Self::on(files, pool, idem)
    }

    /// An app on a database that is set up.
    pub fn on(files: Files, pool: sqlx::Pool<Db>, idem: Idem<Db>) -> Self {
        let script = Script::default();
        let router = router(idem.clone(), script.clone());
        App {
            files,
            pool,
            idem,
            script,
            router,
        }
    }

    /// Another engine on the same database, as another process would have.
    pub async fn neighbour(&self, configure: impl FnOnce(Builder<Db>) -> Builder<Db>) -> Router {
        let pool = self.files.pool(20).await;
        router(
            configure(Idem::builder(pool)).build().unwrap(),
            self.script.clone(),
        )
    }

    pub async fn send(&self, request: axum::http::Request<axum::body::Body>) -> Answer {
        http::send(&self.router, request).await
    }

    /// Sends an operation of tenant `t1` to `/op`.
    pub async fn post(&self, key: &str, amount: i64) -> Answer {
        self.send(stage::post("/op", key, amount)).await
    }

    /// The same in a task.
    pub fn spawn_post(&self, key: &str, amount: i64) -> tokio::task::JoinHandle<Answer> {
        let router = self.router.clone();
        let request = stage::post("/op", key, amount);
        tokio::spawn(async move { http::send(&router, request).await })
    }

    /// Waits until every spawned call waits for something the test holds back: only the runtime of a
    /// single-threaded test can tell, by having nothing else to do while a look at the database
    /// goes there and back a few times.
    pub async fn settled(&self) {
        for _ in 0..5 {
            self.effects().await;
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
        }
    }

    /// How many effects are committed.
    pub async fn effects(&self) -> i64 {
        self.count("SELECT count(*) FROM effect").await
    }

    /// How many records there are.
    pub async fn records(&self) -> i64 {
        self.count("SELECT count(*) FROM idem_record").await
    }

    async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql)
            .fetch_one(&self.files.pool(1).await)
            .await
            .unwrap()
    }
}

fn router(idem: Idem<Db>, script: Script) -> Router {
    Router::new()
        .route("/op", post(op))
        .route("/op/{id}", post(op))
        .route("/success", post(success))
        .route("/all", post(all))
        .route("/brief", post(brief))
        .route("/optional", post(optional))
        .route("/fleeting", post(fleeting))
        .with_state(Shared { idem, script })
}

#[idempotent(key = (tenant.0, key), ttl = "24h")]
async fn op(
    State(script): State<Script>,
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(input): Json<Input>,
) -> Result<axum::response::Response, axum::response::Response> {
    perform(&script, &input, tx).await
}

#[idempotent(key = (tenant.0, key), memoize = success)]
async fn success(
    State(script): State<Script>,
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(input): Json<Input>,
) -> Result<axum::response::Response, axum::response::Response> {
    perform(&script, &input, tx).await
}

#[idempotent(key = (tenant.0, key), memoize = all)]
async fn all(
    State(script): State<Script>,
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(input): Json<Input>,
) -> Result<axum::response::Response, axum::response::Response> {
    perform(&script, &input, tx).await
}

#[idempotent(key = (tenant.0, key), timeout = "1s")]
async fn brief(
    State(script): State<Script>,
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(input): Json<Input>,
) -> Result<axum::response::Response, axum::response::Response> {
    perform(&script, &input, tx).await
}

#[idempotent(key = (tenant.0, key), ttl = "1s")]
async fn fleeting(
    State(script): State<Script>,
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(input): Json<Input>,
) -> Result<axum::response::Response, axum::response::Response> {
    perform(&script, &input, tx).await
}

#[idempotent(key = (tenant.0, key.as_str()), missing_key = run)]
async fn optional(
    State(script): State<Script>,
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(input): Json<Input>,
) -> Result<axum::response::Response, axum::response::Response> {
    perform(&script, &input, tx).await
}

/// One run of a body, as the script says.
async fn perform(
    script: &Script,
    _input: &Input,
    tx: &mut Tx<Db>,
) -> Result<axum::response::Response, axum::response::Response> {
    let (run, plan) = script.begin();
    for step in &plan.steps {
        match step {
            Step::Write => {
                let number = i64::try_from(run).unwrap();
                let write = sqlx::query("INSERT INTO effect (run) VALUES ($1)").bind(number);
                write.execute(&mut **tx).await.map_err(broken)?;
            }
            Step::Sql(sql) => {
                sqlx::raw_sql(*sql)
                    .execute(&mut **tx)
                    .await
                    .map_err(broken)?;
            }
            Step::Ignored(sql) => drop(sqlx::raw_sql(*sql).execute(&mut **tx).await),
            Step::DropSavepoint => {
                let mut savepoint = sqlx::Connection::begin(&mut **tx).await.map_err(broken)?;
                let write = sqlx::query("INSERT INTO effect (run) VALUES (-1)");
                write.execute(&mut *savepoint).await.map_err(broken)?;
            }
            Step::Pass(gate) => gate.pass().await,
            Step::Panic => panic!("the script says so"),
            Step::Hang => std::future::pending().await,
        }
    }
    plan.answer(run)
}

/// The body's own answer to a store error: a 500.
fn broken(error: sqlx::Error) -> axum::response::Response {
    use axum::response::IntoResponse as _;
    (
        axum::http::StatusCode::INTERNAL_SERVER_ERROR,
        error.to_string(),
    )
        .into_response()
}
