//! `StoredHeaders`: which header lines of an answer are recorded.

use std::collections::HashSet;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, header};

/// Header lines that belong to one exchange rather than to the answer.
const OF_ONE_EXCHANGE: &[&str] = &[
    // Hop by hop (RFC 9110, section 7.6.1); those that `Connection` names are added per answer.
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    // Made anew for each message.
    "content-length",
    "date",
    // Of one client's session.
    "authentication-info",
    "proxy-authenticate",
    "proxy-authentication-info",
    "set-cookie",
    "www-authenticate",
    // Request ids and traces.
    "b3",
    "correlation-id",
    "request-id",
    "server-timing",
    "traceparent",
    "traceresponse",
    "tracestate",
    "x-amzn-requestid",
    "x-amzn-trace-id",
    "x-cloud-trace-context",
    "x-correlation-id",
    "x-request-id",
    "x-trace-id",
    // Ours.
    "idempotent-replayed",
];

/// Whole families of such lines.
const OF_ONE_EXCHANGE_PREFIXES: &[&str] = &[
    "ratelimit",
    "x-b3-",
    "x-datadog-",
    "x-rate-limit",
    "x-ratelimit",
];

/// Which header lines of an answer are stored and replayed.
///
/// By default all but hop-by-hop headers, `Date`, `Content-Length` (recomputed), `Set-Cookie`,
/// `WWW-Authenticate` and its kin, request ids and trace headers, and `RateLimit-*`. Lines of one
/// name keep their order, and values their bytes.
#[derive(Debug, Clone, Default)]
pub struct StoredHeaders {
    with: Arc<HashSet<HeaderName>>,
    without: Arc<HashSet<HeaderName>>,
}

impl StoredHeaders {
    /// Stores lines of this name although the default does not.
    pub fn with(mut self, name: HeaderName) -> Self {
        Arc::make_mut(&mut self.without).remove(&name);
        Arc::make_mut(&mut self.with).insert(name);
        self
    }

    /// Does not store lines of this name although the default does.
    pub fn without(mut self, name: HeaderName) -> Self {
        Arc::make_mut(&mut self.with).remove(&name);
        Arc::make_mut(&mut self.without).insert(name);
        self
    }

    /// The lines of `headers` that are stored.
    pub(super) fn of(&self, headers: &HeaderMap) -> HeaderMap {
        let mut stored = headers.clone();
        for line in headers.get_all(header::CONNECTION) {
            let names = line
                .as_bytes()
                .split(|byte| *byte == b',')
                .map(<[u8]>::trim_ascii);
            for name in names.filter_map(|name| HeaderName::from_bytes(name).ok()) {
                stored.remove(name);
            }
        }
        for name in headers.keys().filter(|name| !self.stores(name)) {
            stored.remove(name);
        }
        stored
    }

    fn stores(&self, name: &HeaderName) -> bool {
        let text = name.as_str();
        let of_one_exchange = OF_ONE_EXCHANGE.contains(&text)
            || OF_ONE_EXCHANGE_PREFIXES
                .iter()
                .any(|prefix| text.starts_with(prefix));
        self.with.contains(name) || !of_one_exchange && !self.without.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn names(stored: &HeaderMap) -> Vec<&str> {
        let mut names: Vec<_> = stored.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        names
    }

    /// case H01: what belongs to the first exchange is not stored.
    #[test]
    fn lines_of_one_exchange_are_left_out() {
        let mut headers = HeaderMap::new();
        for name in [
            "set-cookie",
            "date",
            "x-request-id",
            "www-authenticate",
            "connection",
            "transfer-encoding",
            "ratelimit-remaining",
            "x-ratelimit-limit",
            "x-secret-hop",
            "location",
            "etag",
            "content-type",
            "link",
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static("v"));
        }
        headers.insert(
            "connection",
            HeaderValue::from_static("close, X-Secret-Hop"),
        );
        let stored = StoredHeaders::default().of(&headers);
        assert_eq!(names(&stored), ["content-type", "etag", "link", "location"]);
    }

    #[test]
    fn the_list_is_configurable() {
        let mut headers = HeaderMap::new();
        headers.insert("set-cookie", HeaderValue::from_static("v"));
        headers.insert("etag", HeaderValue::from_static("v"));
        let stored = StoredHeaders::default()
            .with(header::SET_COOKIE)
            .without(header::ETAG);
        assert_eq!(names(&stored.of(&headers)), ["set-cookie"]);
    }
}
