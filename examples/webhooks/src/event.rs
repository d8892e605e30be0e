//! `Event`: a verified delivery, as an extractor. A handler that takes one runs for nothing else.

use std::time::SystemTime;

use axum::extract::{FromRef, FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use idem_core::Operational;
use serde::{Deserialize, Serialize};

use crate::signature::verify;

/// The secret that deliveries are signed with.
#[derive(Clone, Copy)]
pub(crate) struct Secret(pub(crate) &'static [u8]);

/// The header that holds the signature.
pub(crate) const SIGNATURE: &str = "webhook-signature";

/// What the provider says has happened.
#[derive(Debug, Serialize, Deserialize, Operational)]
pub(crate) struct Event {
    /// The same in every delivery.
    pub(crate) id: String,
    pub(crate) order: u32,
    pub(crate) amount: i64,
    /// The number of the delivery: it differs between those of one event.
    pub(crate) delivery: u32,
}

impl<S> FromRequest<S> for Event
where
    S: Send + Sync,
    Secret: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let Secret(secret) = Secret::from_ref(state);
        let line = request.headers().get(SIGNATURE).cloned();
        let body = Bytes::from_request(request, state)
            .await
            .map_err(IntoResponse::into_response)?;
        // Over the bytes as they came: parsed and written again they would be others.
        let line = line.as_ref().and_then(|line| line.to_str().ok());
        verify(secret, line.unwrap_or_default(), &body, SystemTime::now())
            .map_err(|refused| (StatusCode::UNAUTHORIZED, refused.to_string()).into_response())?;
        serde_json::from_slice(&body)
            .map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()).into_response())
    }
}
