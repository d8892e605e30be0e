//! `Merchant`: who is calling. The first extractor of every handler, so that 401 comes before
//! anything else.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use idem_core::Caller;

use crate::problem::ApiError;

/// The merchant a bearer token names; in this demo any token names the merchant it says.
///
/// `Caller` lets it stand in a key, where it keeps each merchant's operations apart from those of
/// all others, whatever `Idempotency-Key` they choose.
#[derive(Caller)]
pub(crate) struct Merchant {
    pub(crate) id: String,
}

impl<S: Sync> FromRequestParts<S> for Merchant {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let header = parts.headers.get(AUTHORIZATION);
        let credentials = header.and_then(|value| value.to_str().ok());
        let id = credentials.and_then(bearer_token);
        let id = id.ok_or(ApiError::Unauthorized)?.to_owned();
        Ok(Merchant { id })
    }
}

/// The token of `Bearer <token>`. The scheme's case does not matter (RFC 9110, section 11.1).
fn bearer_token(credentials: &str) -> Option<&str> {
    let (scheme, token) = credentials.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bearer_with_a_token_is_a_merchant() {
        assert_eq!(bearer_token("Bearer acme"), Some("acme"));
        assert_eq!(bearer_token("bearer  acme "), Some("acme"));
        for refused in ["", "Bearer", "Bearer ", "Basic acme", "acme", "Beareracme"] {
            assert_eq!(bearer_token(refused), None, "{refused:?}");
        }
    }
}
