//! Payments, each of which writes an effect and enqueues an invoice: once per database.

use std::convert::Infallible;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use futures::StreamExt as _;
use idem_core::apalis::enqueue;
use idem_core::axum::{IdempotencyKey, idempotent};
use idem_core::{Caller, Idem, Tx};
use idem_test_support::http;

use super::work::{INVOICES, Invoice};
use super::{Db, connect};

/// How many payments are under way at once.
const AT_ONCE: usize = 8;

#[derive(Debug, Clone, Caller)]
struct Tenant(i64);

impl<S: Sync> FromRequestParts<S> for Tenant {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Tenant(1))
    }
}

#[idempotent(key = (tenant.0, key))]
async fn create(
    tenant: Tenant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(number): Json<i64>,
) -> Result<StatusCode, StatusCode> {
    sqlx::query("INSERT INTO effect (run) VALUES ($1)")
        .bind(number)
        .execute(&mut **tx)
        .await
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let invoice = Invoice { number, amount: 1 };
    enqueue(tx, INVOICES, &invoice)
        .await
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(StatusCode::CREATED)
}

/// Makes the payments 1 to `count`, saying how many of them are new.
pub(crate) async fn pay(url: &str, count: i64) -> Result<(), Box<dyn Error>> {
    let idem = Idem::new(connect(url).await?)?;
    let router = Router::new().route("/", post(create)).with_state(idem);
    let new = AtomicUsize::new(0);
    futures::stream::iter(1..=count)
        .for_each_concurrent(AT_ONCE, async |number| {
            let request = Request::post("/")
                .header("idempotency-key", format!("payment-{number}"))
                .header("content-type", "application/json")
                .body(Body::from(number.to_string()))
                .expect("a request");
            let answer = http::send(&router, request).await;
            assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
            if !answer.is_replay() {
                println!("new {};", new.fetch_add(1, Ordering::Relaxed) + 1);
            }
        })
        .await;
    println!("all paid");
    Ok(())
}
