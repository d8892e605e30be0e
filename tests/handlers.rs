//! Handlers as users write them: extractors, custom inputs, unit tests, authentication, sockets.

use axum::extract::{FromRef, FromRequestParts, Multipart, Path};
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use axum::routing::{any, post};
use axum::{Extension, Form, Json, Router};
use idem_core::axum::{IdempotencyKey, Operation, idempotent};
use idem_core::{Caller, Idem, Operational, Tx, shared};
use idem_test_support::http::{Answer, Served, send};
use serde::{Deserialize, Serialize};
use sqlx::{Executor as _, Sqlite, SqlitePool};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use idem_test_support::sqlite::Database;

/// A merchant whose rights can be withdrawn.
#[derive(Debug, Clone, Caller)]
struct Merchant {
    id: String,
    plan: String,
}

#[derive(Clone, FromRef)]
struct App {
    idem: Idem<Sqlite>,
    revoked: Arc<Mutex<HashSet<String>>>,
}

impl FromRequestParts<App> for Merchant {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, StatusCode> {
        let header = |name: &str| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let id = header("x-merchant").ok_or(StatusCode::UNAUTHORIZED)?;
        if app.revoked.lock().unwrap().contains(&id) {
            return Err(StatusCode::FORBIDDEN);
        }
        Ok(Merchant {
            id,
            plan: header("x-plan").unwrap_or_default(),
        })
    }
}

/// A custom extractor with inputs of its own.
#[derive(Debug, Operational)]
struct Locale {
    language: String,
    #[operational(skip)]
    user_agent: String,
}

impl<S: Sync> FromRequestParts<S> for Locale {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let header = |name: &str| {
            parts
                .headers
                .get(name)
                .map_or_else(String::new, |v| v.to_str().unwrap().to_owned())
        };
        Ok(Locale {
            language: header("accept-language"),
            user_agent: header("user-agent"),
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    item: String,
}

async fn book(tx: &mut Tx<Sqlite>, what: &str) -> Result<Json<i64>, StatusCode> {
    sqlx::query_scalar("INSERT INTO booked (what) VALUES ($1) RETURNING rowid")
        .bind(what)
        .fetch_one(&mut **tx)
        .await
        .map(Json)
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

#[idempotent(key = (merchant.id, key))]
async fn order(
    merchant: Merchant,
    key: IdempotencyKey,
    Path(shop): Path<String>,
    locale: Locale,
    tx: &mut Tx<Sqlite>,
    Json(Order { item }): Json<Order>,
) -> Result<Json<i64>, StatusCode> {
    let text = format!(
        "{shop} {item} {} {} {}",
        merchant.plan, locale.language, locale.user_agent
    );
    book(tx, &text).await
}

#[idempotent(key = (merchant.id, key), scope = "forms.v1")]
async fn form(
    Extension(merchant): Extension<Merchant>,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Form(order): Form<Order>,
) -> Result<Json<i64>, StatusCode> {
    book(tx, &order.item).await
}

/// A webhook: one sender, verified before; it changes fields between deliveries.
#[idempotent(key = shared(event.item), fingerprint = none)]
async fn webhook(tx: &mut Tx<Sqlite>, Json(event): Json<Order>) -> Result<Json<i64>, StatusCode> {
    book(tx, &event.item).await
}

/// Only the item must match, whatever else the body says.
#[idempotent(key = (merchant.id, key), fingerprint = order.item)]
async fn loosely(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(order): Json<Order>,
) -> Result<Json<i64>, StatusCode> {
    book(tx, &order.item).await
}

#[idempotent(key = (merchant.id, key), fingerprint = none)]
async fn upload(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    #[ambient] mut parts: Multipart,
) -> Result<Json<i64>, StatusCode> {
    let part = parts.next_field().await.unwrap().unwrap();
    let text = part.text().await.unwrap();
    book(tx, &text).await
}

struct Stage {
    _files: Database,
    app: App,
    pool: SqlitePool,
    router: Router,
}

impl Stage {
    async fn new() -> Self {
        let files = Database::new();
        let pool = files.pool(4).await;
        let idem = Idem::new(pool.clone()).unwrap();
        idem.setup().await.unwrap();
        pool.execute("CREATE TABLE booked (what TEXT NOT NULL)")
            .await
            .unwrap();
        let app = App {
            idem,
            revoked: Arc::default(),
        };
        let merchant = Merchant {
            id: "m1".into(),
            plan: String::new(),
        };
        let router = Router::new()
            .route("/orders/{shop}", post(order))
            .route("/any/{shop}", any(order))
            .route("/form", post(form).layer(Extension(merchant)))
            .route("/webhook", post(webhook))
            .route("/loosely", post(loosely))
            .route("/upload", post(upload))
            .with_state(app.clone());
        Stage {
            _files: files,
            app,
            pool,
            router,
        }
    }

    async fn booked(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM booked")
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }
}

async fn ask(
    router: &Router,
    path: &str,
    headers: &[(&'static str, &str)],
    body: &'static str,
) -> Answer {
    let mut request = Request::post(path)
        .header("x-merchant", "m1")
        .header("idempotency-key", "k1")
        .header("content-type", "application/json");
    for (name, value) in headers {
        request
            .headers_mut()
            .unwrap()
            .insert(*name, value.parse().unwrap());
    }
    send(router, request.body(body.into()).unwrap()).await
}

const ITEM: &str = r#"{"item":"pen"}"#;

/// case X05: authentication runs before us on every call; what the world looks like is only the
/// first call's business.
#[tokio::test]
async fn withdrawn_rights_meet_no_replay() {
    let stage = Stage::new().await;
    let first = ask(&stage.router, "/orders/a", &[], ITEM).await;
    assert_eq!(first.status, StatusCode::OK);
    stage.app.revoked.lock().unwrap().insert("m1".into());
    assert_eq!(
        ask(&stage.router, "/orders/a", &[], ITEM).await.status,
        StatusCode::FORBIDDEN
    );
    stage.app.revoked.lock().unwrap().clear();
    stage.pool.execute("DELETE FROM booked").await.unwrap();
    ask(&stage.router, "/orders/a", &[], ITEM)
        .await
        .assert_replays(&first);
}

/// case X02: nobody without a login gets as far as a key.
#[tokio::test]
async fn the_anonymous_share_no_bucket() {
    let stage = Stage::new().await;
    let request = Request::post("/orders/a").header("idempotency-key", "k1");
    let request = request
        .header("content-type", "application/json")
        .body(ITEM.into())
        .unwrap();
    assert_eq!(
        send(&stage.router, request).await.status,
        StatusCode::UNAUTHORIZED
    );
    let records: i64 = sqlx::query_scalar("SELECT count(*) FROM idem_record")
        .fetch_one(&stage.pool)
        .await
        .unwrap();
    assert_eq!(records, 0);
}

/// What changes about the caller, or is skipped, does not turn a retry into a refusal; inputs do.
#[tokio::test]
async fn only_inputs_must_match() {
    let stage = Stage::new().await;
    let first = ask(
        &stage.router,
        "/orders/a",
        &[("accept-language", "de")],
        ITEM,
    )
    .await;
    let changed = [
        ("accept-language", "de"),
        ("user-agent", "other"),
        ("x-plan", "gold"),
    ];
    ask(&stage.router, "/orders/a", &changed, ITEM)
        .await
        .assert_replays(&first);
    for (path, headers, body) in [
        ("/orders/a", &[("accept-language", "fr")][..], ITEM),
        ("/orders/b", &[("accept-language", "de")], ITEM),
        (
            "/orders/a",
            &[("accept-language", "de")],
            r#"{"item":"ink"}"#,
        ),
    ] {
        let refused = ask(&stage.router, path, headers, body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
    }
    assert_eq!(stage.booked().await, 1);
}

/// Another method on the same path is another operation.
#[tokio::test]
async fn the_method_must_match() {
    let stage = Stage::new().await;
    let first = ask(&stage.router, "/any/a", &[], ITEM).await;
    assert_eq!(first.status, StatusCode::OK);
    let put = Request::put("/any/a")
        .header("x-merchant", "m1")
        .header("idempotency-key", "k1");
    let put = put
        .header("content-type", "application/json")
        .body(ITEM.into())
        .unwrap();
    assert_eq!(
        send(&stage.router, put).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
}

/// Under `nest`, the path that must match is the client's, not the inner router's.
#[tokio::test]
async fn nested_routers_match_on_the_original_path() {
    let stage = Stage::new().await;
    let nested = Router::new()
        .nest("/v1", stage.router.clone())
        .nest("/v2", stage.router.clone());
    let first = ask(&nested, "/v1/orders/a", &[], ITEM).await;
    ask(&nested, "/v1/orders/a", &[], ITEM)
        .await
        .assert_replays(&first);
    let other = ask(&nested, "/v2/orders/a", &[], ITEM).await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_caller_may_come_from_an_extension() {
    let stage = Stage::new().await;
    let urlencoded = [("content-type", "application/x-www-form-urlencoded")];
    let first = ask(&stage.router, "/form", &urlencoded, "item=pen").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text());
    ask(&stage.router, "/form", &urlencoded, "item=%70en")
        .await
        .assert_replays(&first);
    let other = ask(&stage.router, "/form", &urlencoded, "item=ink").await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn shared_keys_and_no_fingerprint_suit_a_webhook() {
    let stage = Stage::new().await;
    let first = ask(
        &stage.router,
        "/webhook?t=1",
        &[],
        r#"{"item":"evt_1","n":1}"#,
    )
    .await;
    let again = ask(
        &stage.router,
        "/webhook?t=2",
        &[],
        r#"{"item":"evt_1","n":2}"#,
    )
    .await;
    again.assert_replays(&first);
    assert_eq!(stage.booked().await, 1);
}

#[tokio::test]
async fn an_own_fingerprint_replaces_body_and_query() {
    let stage = Stage::new().await;
    let first = ask(
        &stage.router,
        "/loosely?t=1",
        &[],
        r#"{"item":"pen","n":1}"#,
    )
    .await;
    let again = ask(
        &stage.router,
        "/loosely?t=2",
        &[],
        r#"{"item":"pen","n":2}"#,
    )
    .await;
    again.assert_replays(&first);
    let other = ask(
        &stage.router,
        "/loosely?t=1",
        &[],
        r#"{"item":"ink","n":1}"#,
    )
    .await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
}

/// case H12: multipart has a new boundary on each attempt; its fingerprint is chosen, not guessed.
#[tokio::test]
async fn multipart_replays_under_a_chosen_fingerprint() {
    let stage = Stage::new().await;
    let attempt = async |boundary: &str| {
        let body = format!(
            "--{boundary}\r\ncontent-disposition: form-data; name=\"f\"\r\n\r\npen\r\n--{boundary}--"
        );
        let request = Request::post("/upload")
            .header("x-merchant", "m1")
            .header("idempotency-key", "k1")
            .header(
                "content-type",
                format!("multipart/form-data; boundary={boundary}"),
            );
        send(&stage.router, request.body(body.into()).unwrap()).await
    };
    let first = attempt("one").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text());
    attempt("two").await.assert_replays(&first);
    assert_eq!(stage.booked().await, 1);
}

/// A handler is a plain fn in a unit test.
#[tokio::test]
async fn a_handler_can_be_called_without_a_router() {
    let stage = Stage::new().await;
    let call = async |item: &str| {
        let response = order(
            Operation::from(&stage.app.idem),
            Merchant {
                id: "m1".into(),
                plan: String::new(),
            },
            IdempotencyKey::new("k1").unwrap(),
            Path("a".into()),
            Locale {
                language: String::new(),
                user_agent: String::new(),
            },
            Json(Order { item: item.into() }),
        )
        .await;
        Answer::of(response).await
    };
    let first = call("pen").await;
    assert_eq!(first.status, StatusCode::OK);
    call("pen").await.assert_replays(&first);
    assert_eq!(call("ink").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(IdempotencyKey::new("").is_err() && IdempotencyKey::new("a b").is_err());
}

/// Over a socket, with what hyper adds: lengths are right for first answers and replays.
#[tokio::test]
async fn lengths_are_recomputed_on_the_wire() {
    let stage = Stage::new().await;
    let served = Served::start(stage.router.clone()).await;
    let mut answers = Vec::new();
    for _ in 0..2 {
        let request = reqwest::Client::new()
            .post(served.url("/orders/a"))
            .header("x-merchant", "m1")
            .header("idempotency-key", "k1")
            .header("content-type", "application/json")
            .body(ITEM);
        answers.push(
            Answer::received(request.send().await.unwrap())
                .await
                .unwrap(),
        );
    }
    answers[1].assert_replays(&answers[0]);
    assert_eq!(answers[1].header("content-length"), Some("1"));
}

/// Rejections of other extractors are theirs, before ours.
#[tokio::test]
async fn extractors_reject_in_their_own_words() {
    let stage = Stage::new().await;
    let refused = ask(&stage.router, "/orders/a", &[], "nonsense").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.problem_type(), None);
}
