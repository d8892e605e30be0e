//! A small shop: what the ui tests share, so that each shows one thing.
#![allow(dead_code, unused_imports)]

pub use std::time::Duration;

pub use axum::extract::{Extension, Json, Path, Query, State};
use axum::extract::{FromRef, FromRequestParts};
use axum::handler::Handler;
pub use axum::http::{HeaderMap, Method, Request, StatusCode, request::Parts};
pub use axum::response::{IntoResponse, Response};
pub use idem_core::axum::{IdempotencyKey, idempotent};
pub use idem_core::{Begin, Caller, Database, Final, Idem, KeyPart, Operational, Tx, shared};
pub use serde::{Deserialize, Serialize};
pub use sqlx::{Postgres, Sqlite};

#[derive(Clone)]
pub struct App {
    pub region: String,
    sqlite: Idem<Sqlite>,
    postgres: Idem<Postgres>,
}

impl FromRef<App> for Idem<Sqlite> {
    fn from_ref(app: &App) -> Self {
        app.sqlite.clone()
    }
}

impl FromRef<App> for Idem<Postgres> {
    fn from_ref(app: &App) -> Self {
        app.postgres.clone()
    }
}

/// Whose payments they are.
#[derive(Clone, Debug, Caller)]
pub struct Merchant {
    pub id: String,
}

/// An extractor of no kind.
#[derive(Debug)]
pub struct Device {
    pub id: String,
}

macro_rules! extractors {
    ($($name:ident)*) => {$(
        impl<S: Sync> FromRequestParts<S> for $name {
            type Rejection = StatusCode;

            async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, StatusCode> {
                Err(StatusCode::UNAUTHORIZED)
            }
        }
    )*};
}
extractors! { Merchant Device }

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Kind {
    Card,
    Bank,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewPayment {
    pub order: String,
    pub note: Option<String>,
    pub amount: u64,
    pub kind: Kind,
    pub lines: Vec<u32>,
    pub rate: f64,
}

#[derive(Debug)]
pub struct ApiError;

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        StatusCode::BAD_GATEWAY.into_response()
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(_: sqlx::Error) -> Self {
        ApiError
    }
}

impl From<PayError> for ApiError {
    fn from(_: PayError) -> Self {
        ApiError
    }
}

/// The error of plain fns: the engine's, and what the body meets.
#[derive(Debug)]
pub enum PayError {
    Engine(idem_core::Error),
    Sql(sqlx::Error),
    Number(std::num::ParseIntError),
}

impl From<idem_core::Error> for PayError {
    fn from(error: idem_core::Error) -> Self {
        PayError::Engine(error)
    }
}

impl From<sqlx::Error> for PayError {
    fn from(error: sqlx::Error) -> Self {
        PayError::Sql(error)
    }
}

impl From<std::num::ParseIntError> for PayError {
    fn from(error: std::num::ParseIntError) -> Self {
        PayError::Number(error)
    }
}

impl std::fmt::Display for PayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for PayError {}

/// Checks that a server can await the fn.
pub fn is_send(_: &impl Send) {}

/// Checks that axum takes the handler.
pub fn routes<T: 'static, H: Handler<T, App>>(handler: H) {
    let _ = axum::Router::new().route("/", axum::routing::post(handler));
}

/// Checks what the derives implement.
pub fn caller<T: Caller>() {}
pub fn operational<T: Operational>() {}
pub fn key_part(part: &impl KeyPart) -> idem_core::KeyWriter {
    let mut key = idem_core::KeyWriter::default();
    part.write(&mut key);
    key
}
