//! An HTTP answer as a memo, and back: status, header lines and body bytes.

use axum::body::Body;
use axum::response::Response;
use bytes::{Buf, BufMut, Bytes};
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::problem::problem;
use super::stored_headers::StoredHeaders;
use crate::error::{Error, Result};
use crate::memo::{Kind, Memo};

/// Marks a replay, with the value `true`; the name Stripe uses.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A whole answer in memory.
pub(super) struct Buffered {
    parts: Parts,
    body: Bytes,
}

impl Buffered {
    /// Reads the whole body of `response`.
    ///
    /// # Errors
    /// [`Error::MemoTooLarge`] beyond `limit_bytes`; [`Error::MemoUnwritable`] when its stream
    /// fails, or for what no memo can hold: an upgrade, or trailers.
    pub(super) async fn read(response: Response, limit_bytes: usize) -> Result<Self> {
        let (parts, body) = response.into_parts();
        if parts.status.is_informational() {
            return Err(refused("an upgrade of the connection cannot be replayed"));
        }
        let collected =
            Limited::new(body, limit_bytes)
                .collect()
                .await
                .map_err(|error| match error.downcast::<LengthLimitError>() {
                    Ok(_) => Error::MemoTooLarge { limit_bytes },
                    Err(error) => Error::unwritable("its body failed while it was read", error),
                })?;
        if collected.trailers().is_some() {
            return Err(refused("trailers cannot be replayed"));
        }
        Ok(Buffered {
            parts,
            body: collected.to_bytes(),
        })
    }

    /// The memo of this answer: status, header lines, body; integers are big-endian.
    pub(super) fn memo(&self, stored: &StoredHeaders) -> Memo {
        let headers = stored.of(&self.parts.headers);
        let size = 64 * (1 + headers.len()) + self.body.len();
        Memo::new(Kind::Http, size, |payload| {
            payload.put_u16(self.parts.status.as_u16());
            payload.put_u32(length(headers.len()));
            for (name, value) in &headers {
                for text in [name.as_ref(), value.as_bytes()] {
                    payload.put_u32(length(text.len()));
                    payload.put(text);
                }
            }
            payload.put_u64(self.body.len() as u64);
            payload.put(&self.body[..]);
        })
    }

    /// The answer as the body gave it.
    pub(super) fn into_response(self) -> Response {
        Response::from_parts(self.parts, Body::from(self.body))
    }
}

fn refused(reason: &'static str) -> Error {
    Error::MemoUnwritable {
        reason,
        source: None,
    }
}

/// Headers are bounded far below this by the memory they already take.
fn length(length: usize) -> u32 {
    u32::try_from(length).expect("BUG: header lines of more than 4 GiB")
}

/// A recorded answer given again.
pub(super) fn replay(memo: &Memo) -> Response {
    let mut response = match memo.kind() {
        Kind::Http => match decode(memo.payload()) {
            Some(response) => response,
            None => {
                return problem(&Error::MemoUnreadable {
                    reason: "it is damaged",
                });
            }
        },
        Kind::Unknown => problem(&Error::TransactionEnded),
        Kind::Value | Kind::FinalError => {
            return problem(&Error::MemoUnreadable {
                reason: "it was recorded by another form of the operation",
            });
        }
    };
    response
        .headers_mut()
        .insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// Reads what [`Buffered::memo`] wrote; `None` for anything else, to the last byte.
fn decode(mut payload: Bytes) -> Option<Response> {
    let status = StatusCode::from_u16(payload.try_get_u16().ok()?).ok()?;
    let lines = payload.try_get_u32().ok()?;
    let mut headers = HeaderMap::new();
    for _ in 0..lines {
        let name = HeaderName::from_bytes(&text(&mut payload)?).ok()?;
        let value = HeaderValue::from_maybe_shared(text(&mut payload)?).ok()?;
        headers.append(name, value);
    }
    if payload.try_get_u64().ok()? != payload.remaining() as u64 {
        return None;
    }
    let mut response = Response::new(Body::from(payload));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Some(response)
}

fn text(payload: &mut Bytes) -> Option<Bytes> {
    let length = usize::try_from(payload.try_get_u32().ok()?).ok()?;
    (length <= payload.remaining()).then(|| payload.split_to(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded() -> Memo {
        let mut parts = Response::new(()).into_parts().0;
        parts.status = StatusCode::CREATED;
        for (name, value) in [("x-a", "1, 2"), ("x-b", "x"), ("x-a", "3")] {
            parts.headers.append(name, HeaderValue::from_static(value));
        }
        parts
            .headers
            .insert("x-opaque", HeaderValue::from_bytes(b"\xff\xfe").unwrap());
        Buffered {
            parts,
            body: Bytes::from_static(b"\0\xffbody"),
        }
        .memo(&StoredHeaders::default())
    }

    #[test]
    fn a_replay_has_the_same_status_lines_and_bytes() {
        let response = replay(&recorded());
        assert_eq!(response.status(), StatusCode::CREATED);
        let lines: Vec<_> = response.headers().get_all("x-a").iter().collect();
        assert_eq!(lines, ["1, 2", "3"]);
        assert_eq!(response.headers()["x-opaque"].as_bytes(), b"\xff\xfe");
        assert_eq!(response.headers()["idempotent-replayed"], "true");
    }

    /// case C13, as far as answers go: a damaged memo is an error of its own.
    #[test]
    fn every_truncation_is_unreadable() {
        let whole = recorded().payload();
        for end in 0..whole.len() {
            assert!(decode(whole.slice(..end)).is_none(), "cut at {end}");
        }
        let longer = [&whole[..], b"x"].concat();
        assert!(decode(longer.into()).is_none());
    }
}
