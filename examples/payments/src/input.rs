//! Extractors for what a request asks for. They refuse in problem+json, and before the handler's
//! key is claimed: a refused request costs no key.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use idem_core::Operational;
use serde::de::DeserializeOwned;

use crate::problem::ApiError;

/// A JSON body, whatever its content type says, so that `curl -d` is enough.
///
/// `Operational` makes it part of what must match when a key is used again.
#[derive(Operational)]
pub(crate) struct Input<T>(pub(crate) T);

impl<S, T> FromRequest<S> for Input<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = Bytes::from_request(request, state)
            .await
            .map_err(|refused| ApiError::refused(refused.status(), refused.body_text()))?;
        match Json::from_bytes(&body) {
            Ok(Json(input)) => Ok(Input(input)),
            Err(refused) => Err(ApiError::refused(refused.status(), refused.body_text())),
        }
    }
}

/// The payment that a path names. Any text may stand there; most of it names none.
#[derive(Operational)]
pub(crate) struct PaymentId(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PaymentId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::<String>::from_request_parts(parts, state).await {
            // PostgreSQL knows no NUL, not even to compare with.
            Ok(Path(id)) if !id.contains('\0') => Ok(PaymentId(id)),
            // Nor bytes that are no text.
            _ => Err(ApiError::NoSuchPayment),
        }
    }
}
