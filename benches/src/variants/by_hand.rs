//! b: claim and record written into the handler, the way chapter 11 of "Zero To Production In Rust"
//! (Luca Palmieri) teaches it.
//!
//! The first statement of the transaction inserts the key; where it is there already, the answer
//! that was saved with it is given. After the work the answer is saved in the same transaction. A
//! second copy waits in the database, on the first one's uncommitted row. As good as the pattern
//! allows: statements are prepared once per connection, nothing is asked twice, and a replay's
//! rollback is left to the pool instead of being waited for.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use sqlx::{Database, Pool};

use super::super::database::{BEGIN, Db};
use super::payment::pay;
use crate::call::{ApiError, Call, Merchant, NewPayment};
use crate::subject::{Direct, extract_key};

type Connection = <Db as Database>::Connection;

/// The request's `Idempotency-Key`: 1 to 50 characters, as in the book.
struct Key(String);

impl<S: Sync> FromRequestParts<S> for Key {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let line = parts.headers.get("idempotency-key");
        match line.and_then(|line| line.to_str().ok()) {
            Some(text) if (1..=50).contains(&text.len()) => Ok(Key(text.to_owned())),
            _ => Err(StatusCode::BAD_REQUEST),
        }
    }
}

async fn create_payment(
    State(pool): State<Pool<Db>>,
    merchant: Merchant,
    Key(key): Key,
    Json(new): Json<NewPayment>,
) -> Result<Response, ApiError> {
    let mut transaction = pool.begin_with(BEGIN).await?;
    if !try_processing(&mut transaction, &merchant, &key).await? {
        return saved_response(&mut transaction, &merchant, &key).await;
    }
    let created = pay(&mut transaction, &merchant, new).await?;
    let response = created.into_response();
    let response = save_response(&mut transaction, &merchant, &key, response).await?;
    transaction.commit().await?;
    Ok(response)
}

/// Whether this request is the first of its key.
async fn try_processing(
    connection: &mut Connection,
    merchant: &Merchant,
    key: &str,
) -> sqlx::Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO idempotency (user_id, idempotency_key) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    )
    .bind(merchant.id)
    .bind(key)
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

async fn save_response(
    connection: &mut Connection,
    merchant: &Merchant,
    key: &str,
    response: Response,
) -> Result<Response, ApiError> {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX)
        .await
        .expect("the answers here are in memory");
    let mut headers = String::new();
    for (name, value) in &parts.headers {
        let value = value.to_str().expect("the headers here are text");
        write!(headers, "{name}: {value}\r\n").expect("memory can be written to");
    }
    sqlx::query(
        "UPDATE idempotency
            SET response_status = $3, response_headers = $4, response_body = $5
          WHERE user_id = $1 AND idempotency_key = $2",
    )
    .bind(merchant.id)
    .bind(key)
    .bind(i16::try_from(parts.status.as_u16()).expect("a status has three digits"))
    .bind(headers.as_bytes())
    .bind(&body[..])
    .execute(connection)
    .await?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

async fn saved_response(
    connection: &mut Connection,
    merchant: &Merchant,
    key: &str,
) -> Result<Response, ApiError> {
    let (status, headers, body): (i16, Vec<u8>, Vec<u8>) = sqlx::query_as(
        "SELECT response_status, response_headers, response_body FROM idempotency
          WHERE user_id = $1 AND idempotency_key = $2",
    )
    .bind(merchant.id)
    .bind(key)
    .fetch_one(connection)
    .await?;
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = u16::try_from(status)
        .ok()
        .and_then(|status| StatusCode::from_u16(status).ok())
        .expect("a status was saved");
    let headers = String::from_utf8(headers).expect("text was saved");
    for line in headers.lines() {
        let (name, value) = line.split_once(": ").expect("header lines were saved");
        let name: HeaderName = name.parse().expect("a header's name was saved");
        let value = HeaderValue::from_str(value).expect("a header's value was saved");
        response.headers_mut().append(name, value);
    }
    Ok(response)
}

/// The handler, as a service and as a function.
pub(super) fn handler(pool: Pool<Db>) -> (Router, Direct) {
    let router = Router::new()
        .route("/payments", post(create_payment))
        .with_state(pool.clone());
    let direct: Direct = Arc::new(move |call: Call| {
        let pool = State(pool.clone());
        Box::pin(async move {
            let key = extract_key(&call).await;
            let answer = create_payment(pool, call.merchant, key, Json(call.new)).await;
            answer.into_response()
        })
    });
    (router, direct)
}
