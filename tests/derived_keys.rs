//! Keys for other systems: the same on every attempt of one operation.

use axum::extract::{FromRef, State};
use axum::http::{Request, StatusCode};
use axum::routing::post;
use axum::{Json, Router, body::Body};
use idem_core::axum::{IdempotencyKey, idempotent};
use idem_core::{Idem, Tx, shared};
use idem_test_support::http::send;
use idem_test_support::sqlite::Database;
use sqlx::Sqlite;
use std::sync::{Arc, Mutex};

/// Another system, which fails at first.
#[derive(Clone, Default)]
struct Provider {
    keys: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    /// Gets a request with this key; only the third call succeeds.
    fn charge(&self, request: &http::Request<()>) -> Result<(), StatusCode> {
        let mut keys = self.keys.lock().unwrap();
        let key = &request.headers()["idempotency-key"];
        keys.push(key.to_str().unwrap().to_owned());
        match keys.len() {
            1 | 2 => Err(StatusCode::SERVICE_UNAVAILABLE),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, FromRef)]
struct App {
    idem: Idem<Sqlite>,
    provider: Provider,
}

#[idempotent(key = shared(key), missing_key = run)]
async fn charge(
    key: IdempotencyKey,
    State(provider): State<Provider>,
    tx: &mut Tx<Sqlite>,
) -> Result<Json<[String; 2]>, StatusCode> {
    let derived = tx.derive_key("charge");
    assert_eq!(derived, tx.derive_key("charge"));
    let request =
        http::Request::post("https://pay.example/charges").header("Idempotency-Key", derived);
    provider.charge(&request.body(()).unwrap())?;
    Ok(Json([
        derived.to_string(),
        tx.derive_key("mail").to_string(),
    ]))
}

async fn app() -> (Database, Router, Provider) {
    let database = Database::new();
    let idem = Idem::new(database.pool(2).await).unwrap();
    idem.setup().await.unwrap();
    let provider = Provider::default();
    let router = Router::new().route("/", post(charge)).with_state(App {
        idem,
        provider: provider.clone(),
    });
    (database, router, provider)
}

fn request(key: Option<&str>) -> Request<Body> {
    let mut request = Request::post("/");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    request.body(Body::empty()).unwrap()
}

#[tokio::test]
async fn attempts_of_one_operation_derive_the_same_key() {
    let (_database, router, provider) = app().await;
    for expected in [503, 503, 200, 200] {
        assert_eq!(send(&router, request(Some("k1"))).await.status, expected);
    }
    assert_eq!(send(&router, request(Some("k2"))).await.status, 200);
    let keys = provider.keys.lock().unwrap().clone();
    let [first, second, third, other] = &keys[..] else {
        panic!("a replay calls nobody: {keys:?}")
    };
    assert_eq!((first, second), (second, third));
    assert_ne!(first, other);
}

#[tokio::test]
async fn each_name_and_each_run_without_a_key_has_its_own() {
    let (_database, router, provider) = app().await;
    provider.keys.lock().unwrap().extend(["".into(), "".into()]);
    let mut seen = std::collections::HashSet::new();
    for key in [Some("k1"), None, None] {
        let answer = send(&router, request(key)).await;
        let derived: [String; 2] = serde_json::from_slice(&answer.body).unwrap();
        seen.extend(derived);
    }
    assert_eq!(seen.len(), 6);
}
