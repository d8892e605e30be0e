//! `ApiError`: every way to fail that is this API's own, answered as problem+json (RFC 9457).

use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// What a problem's `type` starts with; a word for the variant follows.
const TYPE_PREFIX: &str = "urn:payments:error:";

#[derive(Serialize)]
struct Problem {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: String,
}

/// Handlers return it as `Err`, which never commits. By its status `#[idempotent]` decides the
/// rest: a 4xx is recorded and replayed, a 5xx gives the key back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("name the merchant: `Authorization: Bearer <merchant>`")]
    Unauthorized,
    #[error("{detail}")]
    Refused { status: StatusCode, detail: String },
    #[error("there is nothing at this path")]
    NotFound,
    #[error("this path has other methods")]
    MethodNotAllowed,
    #[error("this merchant has no such payment")]
    NoSuchPayment,
    #[error("the card was declined")]
    Declined,
    #[error("only {left} of this payment are left to refund")]
    RefundTooLarge { left: i64 },
    #[error("the card's provider does not answer; nothing was kept, try again")]
    ProviderDown,
    #[error("the database failed; nothing was kept")]
    Database(#[from] sqlx::Error),
}

impl ApiError {
    /// What an extractor refused.
    pub(crate) fn refused(status: StatusCode, detail: String) -> Self {
        ApiError::Refused { status, detail }
    }

    fn status(&self) -> StatusCode {
        match self {
            ApiError::Unauthorized => StatusCode::UNAUTHORIZED,
            ApiError::Refused { status, .. } => *status,
            ApiError::NotFound | ApiError::NoSuchPayment => StatusCode::NOT_FOUND,
            ApiError::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::Declined => StatusCode::PAYMENT_REQUIRED,
            ApiError::RefundTooLarge { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            ApiError::ProviderDown => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Database(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The end of the problem's `type`, and its title.
    fn name(&self) -> (&'static str, &'static str) {
        match self {
            ApiError::Unauthorized => ("unauthorized", "Merchant missing"),
            ApiError::Refused { .. } => ("invalid-request", "Request invalid"),
            ApiError::NotFound => ("not-found", "Not found"),
            ApiError::MethodNotAllowed => ("method-not-allowed", "Method not allowed"),
            ApiError::NoSuchPayment => ("no-such-payment", "No such payment"),
            ApiError::Declined => ("declined", "Card declined"),
            ApiError::RefundTooLarge { .. } => ("refund-too-large", "Refund too large"),
            ApiError::ProviderDown => ("provider-down", "Provider down"),
            ApiError::Database(_) => ("database", "Database failed"),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let ApiError::Database(cause) = &self {
            tracing::error!(cause = cause as &dyn std::error::Error, "{self}");
        }
        let (status, (name, title)) = (self.status(), self.name());
        let problem = Problem {
            r#type: format!("{TYPE_PREFIX}{name}"),
            title,
            status: status.as_u16(),
            detail: self.to_string(),
        };
        let mut response = (status, Json(problem)).into_response();
        let headers = response.headers_mut();
        let mut set = |header, value| headers.insert(header, HeaderValue::from_static(value));
        set(CONTENT_TYPE, "application/problem+json");
        match self {
            ApiError::Unauthorized => set(WWW_AUTHENTICATE, "Bearer"),
            ApiError::ProviderDown => set(RETRY_AFTER, "1"),
            _ => None,
        };
        response
    }
}
