//! Engine errors as problem details (RFC 9457).

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::error::Error;

/// What a problem's `type` starts with; the error's name follows. A name, not a page.
const TYPE_PREFIX: &str = "urn:idem:error:";

#[derive(Serialize)]
struct Problem<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
}

impl Error {
    /// The HTTP status of this error.
    pub fn status(&self) -> StatusCode {
        match self {
            Error::MissingKey | Error::InvalidKey { .. } => StatusCode::BAD_REQUEST,
            Error::InFlight => StatusCode::CONFLICT,
            Error::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Error::Unavailable { .. } | Error::Draining | Error::LeaseLost => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Error::MemoTooLarge { .. }
            | Error::MemoUnwritable { .. }
            | Error::TransactionEnded
            | Error::MemoUnreadable { .. }
            | Error::NotReady { .. }
            | Error::KeyUnstable { .. }
            | Error::Nested => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Error::MissingKey => "Idempotency-Key missing",
            Error::InvalidKey { .. } => "Idempotency-Key invalid",
            Error::InFlight => "Operation still running",
            Error::KeyReused => "Idempotency-Key reused",
            Error::Unavailable { .. } => "Temporarily unavailable",
            Error::Draining => "Shutting down",
            Error::LeaseLost => "Lease lost",
            Error::MemoTooLarge { .. } => "Answer too large to record",
            Error::MemoUnwritable { .. } => "Answer not recordable",
            Error::TransactionEnded => "Outcome unknown",
            Error::MemoUnreadable { .. } => "Recorded answer unreadable",
            Error::NotReady { .. } => "Not ready",
            Error::KeyUnstable { .. } => "Key not stable",
            Error::Nested => "Operation started within itself",
        }
    }
}

/// The response for an engine error: `application/problem+json` with a `type` of its own, and
/// `Retry-After` where another try with the same key can help.
pub(super) fn problem(error: &Error) -> Response {
    let detail = error.to_string();
    let problem = Problem {
        r#type: format!("{TYPE_PREFIX}{}", error.name()),
        title: error.title(),
        status: error.status().as_u16(),
        detail: &detail,
    };
    let mut response = respond(error.status(), &problem);
    if let Some(after) = error.retry_after() {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs()));
    }
    response
}

/// The response for a body that panicked: its writes are undone and its key is free.
pub(super) fn panicked() -> Response {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    let problem = Problem {
        r#type: format!("{TYPE_PREFIX}panicked"),
        title: "Operation failed",
        status: status.as_u16(),
        detail: "the operation failed unexpectedly; nothing was kept and its key is free",
    };
    respond(status, &problem)
}

fn respond(status: StatusCode, problem: &Problem<'_>) -> Response {
    let body = serde_json::to_vec(problem).expect("BUG: a problem is plain text and numbers");
    let content_type = HeaderValue::from_static("application/problem+json");
    (status, [(header::CONTENT_TYPE, content_type)], body).into_response()
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        problem(&self)
    }
}

/// The `Link` to a page about the API's use of keys; `None` for text that is no URI reference.
/// draft-ietf-httpapi-idempotency-key-header-07, section 2.7.
pub(crate) fn docs_link(url: &str) -> Option<HeaderValue> {
    let plain = !url.is_empty()
        && url
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"'));
    if !plain {
        return None;
    }
    HeaderValue::from_str(&format!("<{url}>; rel=\"describedby\"; type=\"text/html\"")).ok()
}
