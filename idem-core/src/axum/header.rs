//! `IdempotencyKey`: the request header, read as a structured-field string or as bare text.
//!
//! <https://www.ietf.org/archive/id/draft-ietf-httpapi-idempotency-key-header-07.html>, section 2.1

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::problem::problem;
use crate::error::{Error, Result};
use crate::key::{KeyPart, KeyWriter};

/// The header's name.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest key, in characters: the draft leaves the limit to the server; this is Stripe's.
/// <https://docs.stripe.com/api/idempotent_requests>
const MAX_CHARS: usize = 255;

/// The request's `Idempotency-Key`: 1 to 255 visible ASCII characters.
///
/// `Idempotency-Key: "abc"` (a structured-field string, RFC 8941, section 3.3.3) and
/// `Idempotency-Key: abc`, which nearly all clients send, are the same key. Rejected with 400: no
/// header, more than one line, an empty key, unbalanced quotes, any other character.
///
/// It names an operation only together with its caller: any client can choose any header.
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey(Option<Arc<str>>);

impl IdempotencyKey {
    /// A key as a client would send it, for calling handlers in unit tests.
    ///
    /// # Errors
    /// [`Error::InvalidKey`] for what the header would be rejected for.
    pub fn new(line: &str) -> Result<Self> {
        Self::from_line(line.as_bytes())
    }

    /// The key's text, without quotes; empty when the request carried none and the operation says
    /// `missing_key = run`.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    fn from_headers(headers: &HeaderMap) -> Result<Option<Self>> {
        let mut lines = headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(line) = lines.next() else {
            return Ok(None);
        };
        if lines.next().is_some() {
            return Err(Error::InvalidKey {
                reason: "the header was sent more than once",
            });
        }
        Self::from_line(line.as_bytes()).map(Some)
    }

    fn from_line(line: &[u8]) -> Result<Self> {
        let text = parse(line).map_err(|reason| Error::InvalidKey { reason })?;
        Ok(IdempotencyKey(Some(text.into())))
    }
}

/// Reads one header line, without repeating any of it in errors.
fn parse(line: &[u8]) -> Result<String, &'static str> {
    let text = match line.trim_ascii() {
        [b'"', quoted @ ..] => unquote(quoted)?,
        bare if bare.contains(&b'"') => return Err("it has a quote inside bare text"),
        bare => bare.to_vec(),
    };
    match text.len() {
        0 => return Err("it is empty"),
        1..=MAX_CHARS => {}
        _ => return Err("it is longer than 255 characters"),
    }
    if !text.iter().all(u8::is_ascii_graphic) {
        return Err("it has characters other than visible ASCII");
    }
    Ok(String::from_utf8(text).expect("BUG: visible ASCII is UTF-8"))
}

/// The inside of a structured-field string, after its opening quote.
fn unquote(quoted: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut text = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if bytes.len() == 0 => return Ok(text),
            b'"' => return Err("it goes on after its closing quote"),
            b'\\' => match bytes.next() {
                Some(escaped @ (b'"' | b'\\')) => text.push(*escaped),
                _ => return Err("it has a backslash before something else than a quote"),
            },
            other => text.push(*other),
        }
    }
    Err("its quotes are unbalanced")
}

/// What the operation around the extractor wants, left for it in the request's extensions.
#[derive(Clone)]
pub(super) struct KeyRules {
    /// Where a request may come without a key: set when one did.
    pub(super) keyless: Option<Arc<AtomicBool>>,
    pub(super) docs_link: Option<HeaderValue>,
}

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = KeyRejection;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, KeyRejection> {
        let rules = parts.extensions.get::<KeyRules>();
        let error = match IdempotencyKey::from_headers(&parts.headers) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => match rules.and_then(|rules| rules.keyless.as_ref()) {
                Some(keyless) => {
                    keyless.store(true, Ordering::Relaxed);
                    return Ok(IdempotencyKey(None));
                }
                None => Error::MissingKey,
            },
            Err(error) => error,
        };
        let docs_link = rules.and_then(|rules| rules.docs_link.clone());
        Err(KeyRejection { error, docs_link })
    }
}

/// Why a request's key was refused; answered with 400 and problem+json.
#[derive(Debug)]
pub struct KeyRejection {
    error: Error,
    docs_link: Option<HeaderValue>,
}

impl KeyRejection {
    /// [`Error::MissingKey`] or [`Error::InvalidKey`].
    pub fn error(&self) -> &Error {
        &self.error
    }
}

impl std::fmt::Display for KeyRejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for KeyRejection {}

impl IntoResponse for KeyRejection {
    fn into_response(self) -> Response {
        let mut response = problem(&self.error);
        if let Some(link) = self.docs_link {
            response.headers_mut().insert(header::LINK, link);
        }
        response
    }
}

impl KeyPart for IdempotencyKey {
    fn write(&self, key: &mut KeyWriter) {
        key.text(self.as_str());
    }
}

/// Keys can be secrets of the client, so they are never printed.
impl std::fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("IdempotencyKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// case K11: both spellings are one key; everything malformed is refused.
    #[test]
    fn quoted_and_bare_text_are_the_same_key() {
        assert_eq!(parse(b"abc").unwrap(), "abc");
        assert_eq!(parse(b"\"abc\"").unwrap(), "abc");
        assert_eq!(parse(b"  abc\t").unwrap(), "abc");
        assert_eq!(parse(b"\"a\\\"b\"").unwrap(), "a\"b");
        assert_eq!(parse(b"\"a\\\\b\"").unwrap(), "a\\b");
        assert_eq!(parse(b"a,b").unwrap(), "a,b");
        assert_eq!(parse(b"a\\b").unwrap(), "a\\b");
    }

    /// case K11
    #[test]
    fn malformed_keys_are_refused() {
        for line in [
            &b""[..],
            b"  ",
            b"\"\"",
            b"\"abc",
            b"abc\"",
            b"\"",
            b"a\"b",
            b"\"a\"b\"",
            b"\"abc\";p=1",
            b"\"a\\nb\"",
            b"\"abc\\",
            b"a b",
            b"\"a b\"",
            b"caf\xc3\xa9",
            b"a\x00b",
            b"a\x7fb",
            b"a\x1b[31m",
        ] {
            assert!(
                parse(line).is_err(),
                "{:?}",
                line.escape_ascii().to_string()
            );
        }
    }

    /// case K10
    #[test]
    fn keys_have_1_to_255_characters() {
        assert!(parse("k".repeat(255).as_bytes()).is_ok());
        assert!(parse("k".repeat(256).as_bytes()).is_err());
        assert!(parse(format!("\"{}\"", "k".repeat(255)).as_bytes()).is_ok());
        assert!(parse(format!("\"{}\"", "k".repeat(256)).as_bytes()).is_err());
        assert!(parse("é".repeat(255).as_bytes()).is_err());
    }
}
