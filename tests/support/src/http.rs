//! Answers that can be compared, from a router or over a socket.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, DATE};
use http::{HeaderMap, HeaderName, Request, StatusCode};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;
use tower::ServiceExt;

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A whole HTTP answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// All header lines; those of one name in order.
    pub headers: HeaderMap,
    /// The body's bytes.
    pub body: Bytes,
}

/// Sends `request` through `router` without a socket, and collects the answer.
///
/// # Panics
///
/// When the body fails on its way.
pub async fn send(router: &Router, request: Request<Body>) -> Answer {
    let Ok(response) = router.clone().oneshot(request).await;
    Answer::of(response).await
}

impl Answer {
    /// Collects an axum response.
    ///
    /// # Panics
    ///
    /// When the body fails on its way.
    pub async fn of(response: axum::response::Response) -> Self {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("the body arrives").to_bytes();
        Self {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    /// Collects a response of reqwest.
    ///
    /// # Errors
    ///
    /// When the body fails on its way, as it does when a server is killed.
    pub async fn received(response: reqwest::Response) -> reqwest::Result<Self> {
        let status = response.status();
        let headers = response.headers().clone();
        let body = response.bytes().await?;
        Ok(Self {
            status,
            headers,
            body,
        })
    }

    /// Reads a header's first line as text; `None` when it is missing.
    ///
    /// # Panics
    ///
    /// When it is no text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(name)
            .map(|value| value.to_str().expect("the header is text"))
    }

    /// Reads the body as text.
    ///
    /// # Panics
    ///
    /// When it is no UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("the body is UTF-8")
    }

    /// Reads the body as JSON.
    ///
    /// # Panics
    ///
    /// When it is none, or of another shape.
    #[must_use]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {}: {:?}", self.status, self.body))
    }

    /// Reads the `type` of a problem (RFC 9457); `None` when the answer is no problem.
    ///
    /// # Panics
    ///
    /// When it calls itself a problem and is none.
    #[must_use]
    pub fn problem_type(&self) -> Option<String> {
        if self.header(CONTENT_TYPE.as_str()) != Some("application/problem+json") {
            return None;
        }
        let problem: serde_json::Value = self.json();
        assert_eq!(
            problem["status"],
            self.status.as_u16(),
            "a problem repeats its status"
        );
        Some(
            problem["type"]
                .as_str()
                .expect("a problem has a type")
                .to_owned(),
        )
    }

    /// Says whether the answer calls itself a replay.
    #[must_use]
    pub fn is_replay(&self) -> bool {
        self.header(REPLAYED.as_str()) == Some("true")
    }

    /// Compares status, header lines and body, but not `Idempotent-Replayed` and `Date`, in which
    /// two answers of one operation may differ.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.status == other.status
            && self.body == other.body
            && self.compared_headers() == other.compared_headers()
    }

    /// Asserts that this answer is a replay of `first`, which is none.
    ///
    /// # Panics
    ///
    /// When it is not, showing both.
    #[track_caller]
    pub fn assert_replays(&self, first: &Self) {
        assert!(
            !first.is_replay(),
            "the first answer calls itself a replay: {first:?}"
        );
        assert!(
            self.is_replay(),
            "this answer does not call itself a replay: {self:?}"
        );
        self.assert_same_as(first);
    }

    /// Asserts what [`Answer::is_same_as`] says.
    ///
    /// # Panics
    ///
    /// When the answers differ, showing both.
    #[track_caller]
    pub fn assert_same_as(&self, other: &Self) {
        assert!(
            self.is_same_as(other),
            "answers differ:\n{self:#?}\n{other:#?}"
        );
    }

    fn compared_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        headers.remove(REPLAYED);
        headers.remove(DATE);
        headers
    }
}

/// A router served over a real socket of 127.0.0.1; it stops when dropped.
#[derive(Debug)]
pub struct Served {
    address: SocketAddr,
    _serving: AbortOnDropHandle<()>,
}

impl Served {
    /// Serves `router` on a free port.
    ///
    /// # Panics
    ///
    /// When no port can be bound.
    pub async fn start(router: Router) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a port can be bound");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let serving = tokio::spawn(async move {
            axum::serve(listener, router)
                .await
                .expect("a bound socket can be served");
        });
        Self {
            address,
            _serving: AbortOnDropHandle::new(serving),
        }
    }

    /// Says where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Gives the URL of `path`, which starts with a slash.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}
