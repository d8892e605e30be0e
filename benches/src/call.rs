//! What clients ask for and get: one payment, the same for every variant.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use idem_core::Caller;
use serde::{Deserialize, Serialize};

/// How many accounts payments are spread over, so that they do not wait for each other's row.
pub(crate) const ACCOUNTS: i64 = 10_000;

/// Whose payment it is: the number after `Authorization: Bearer`.
#[derive(Debug, Clone, Caller)]
pub(crate) struct Merchant {
    pub(crate) id: i64,
}

impl<S: Sync> FromRequestParts<S> for Merchant {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let id = || {
            let line = parts.headers.get(header::AUTHORIZATION)?;
            line.to_str().ok()?.strip_prefix("Bearer ")?.parse().ok()
        };
        let id = id().ok_or(StatusCode::UNAUTHORIZED)?;
        Ok(Merchant { id })
    }
}

/// The body of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NewPayment {
    pub(crate) order: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    /// How long the handler works between its writes.
    #[serde(default)]
    pub(crate) delay_ms: u64,
}

/// The body of an answer.
#[derive(Debug, Serialize)]
pub(crate) struct Payment {
    pub(crate) id: i64,
    pub(crate) order: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) status: &'static str,
}

/// The handlers' own error; its text says what the database said.
#[derive(Debug)]
pub(crate) struct ApiError(String);

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        ApiError(error.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.0).into_response()
    }
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) merchant: Merchant,
    pub(crate) key: String,
    pub(crate) new: NewPayment,
}

impl Call {
    /// A request nobody has made before.
    pub(crate) fn fresh() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Call {
            // Random, as in life: in turn, each variant would walk through its index in order.
            merchant: Merchant {
                id: fastrand::i64(0..ACCOUNTS),
            },
            // As random as the UUIDs that clients send, so that keys spread over the whole index.
            key: format!("{:032x}", fastrand::u128(..)),
            new: NewPayment {
                order: format!("order-{number}"),
                amount: 1_250,
                currency: "eur".to_owned(),
                delay_ms: 0,
            },
        }
    }
}

/// One answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Whether it says that it is a replay; only the attribute's do.
    pub(crate) replayed: bool,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Whether the payment was made, now or earlier.
    pub(crate) fn is_created(&self) -> bool {
        self.status == 201
    }
}
