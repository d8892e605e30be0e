//! The stage of the store tests: a small app whose handlers do what a test tells them.
//!
//! A test file is compiled once per store: it declares `on_sqlite` and `on_postgres`, each with a
//! `store` module of its own, and includes its cases in both.

#![allow(dead_code, reason = "no test binary uses everything on the stage")]
#![allow(
    clippy::result_large_err,
    reason = "handlers answer with responses, as in axum"
)]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use idem_core::Caller;
use idem_test_support::counter::Counter;
use idem_test_support::gate::Gate;
use serde::{Deserialize, Serialize};

/// Whose operation it is: the `x-tenant` header, `t1` without one.
#[derive(Debug, Clone, Caller)]
pub struct Tenant(pub String);

impl<S: Sync> FromRequestParts<S> for Tenant {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let tenant = parts
            .headers
            .get("x-tenant")
            .and_then(|value| value.to_str().ok());
        Ok(Tenant(tenant.unwrap_or("t1").to_owned()))
    }
}

/// The inputs of every operation on the stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Input {
    pub amount: i64,
}

/// One thing a body does.
#[derive(Debug, Clone)]
pub enum Step {
    /// Writes one effect through `tx`.
    Write,
    /// Runs SQL through `tx`; an error of it is the body's own, a 500.
    Sql(&'static str),
    /// Runs SQL through `tx` and ignores its error.
    Ignored(&'static str),
    /// Opens a savepoint through sqlx, writes in it, and drops it.
    DropSavepoint,
    /// Waits at a gate.
    Pass(Gate),
    Panic,
    /// Never goes on.
    Hang,
}

/// What one run of a body does, and its answer.
#[derive(Debug, Clone)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub is_err: bool,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Reply,
}

/// The body of an answer.
#[derive(Debug, Clone)]
pub enum Reply {
    /// The number of the run, so that two runs never answer alike.
    Run,
    Bytes(Vec<u8>),
    /// A stream of chunks; `None` is an error in its middle.
    Chunks(Vec<Option<&'static str>>),
    /// A stream that sends a byte whenever it is asked, for ever.
    Endless,
    /// A stream that never sends anything.
    Silent,
    /// One chunk and a trailer.
    Trailers,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            steps: vec![Step::Write],
            is_err: false,
            status: StatusCode::CREATED,
            headers: HeaderMap::new(),
            body: Reply::Run,
        }
    }
}

impl Plan {
    /// A run that writes once and answers `Ok` with this status.
    pub fn ok(status: u16) -> Self {
        Plan {
            status: StatusCode::from_u16(status).unwrap(),
            ..Plan::default()
        }
    }

    /// A run that writes once and answers `Err` with this status.
    pub fn err(status: u16) -> Self {
        Plan {
            is_err: true,
            ..Plan::ok(status)
        }
    }

    pub fn steps(mut self, steps: impl Into<Vec<Step>>) -> Self {
        self.steps = steps.into();
        self
    }

    pub fn header(mut self, name: &'static str, value: impl AsRef<[u8]>) -> Self {
        let value = HeaderValue::from_bytes(value.as_ref()).unwrap();
        self.headers.append(HeaderName::from_static(name), value);
        self
    }

    pub fn body(mut self, body: Reply) -> Self {
        self.body = body;
        self
    }

    pub fn bytes(self, body: impl Into<Vec<u8>>) -> Self {
        self.body(Reply::Bytes(body.into()))
    }

    /// The answer of the run with this number.
    pub fn answer(&self, run: usize) -> Result<Response, Response> {
        let body = match &self.body {
            Reply::Run => Body::from(format!("run {run}")),
            Reply::Bytes(bytes) => Body::from(bytes.clone()),
            Reply::Chunks(chunks) => {
                Body::from_stream(futures::stream::iter(chunks.clone().into_iter().map(
                    |chunk| chunk.ok_or_else(|| std::io::Error::other("the stream failed")),
                )))
            }
            Reply::Endless => {
                Body::from_stream(futures::stream::repeat_with(|| Ok::<_, Infallible>("x")))
            }
            Reply::Silent => {
                Body::from_stream(futures::stream::pending::<Result<&str, Infallible>>())
            }
            Reply::Trailers => {
                let frames = [
                    http_body::Frame::data(bytes::Bytes::from_static(b"x")),
                    http_body::Frame::trailers(HeaderMap::from_iter([(
                        header::ETAG,
                        HeaderValue::from_static("t"),
                    )])),
                ];
                Body::new(http_body_util::StreamBody::new(futures::stream::iter(
                    frames.map(Ok::<_, Infallible>),
                )))
            }
        };
        let mut response = (self.status, body).into_response();
        response.headers_mut().extend(self.headers.clone());
        if self.is_err {
            Err(response)
        } else {
            Ok(response)
        }
    }
}

/// What the handlers of one app share with the test.
#[derive(Debug, Clone, Default)]
pub struct Script {
    plans: Arc<Mutex<VecDeque<Plan>>>,
    /// How often a body ran.
    pub runs: Counter,
}

impl Script {
    /// Says what the next run that has no plan yet does; runs without one write and answer 201.
    pub fn next(&self, plan: Plan) -> &Self {
        self.plans.lock().unwrap().push_back(plan);
        self
    }

    /// Takes the plan of a run that begins.
    pub fn begin(&self) -> (usize, Plan) {
        let plan = self.plans.lock().unwrap().pop_front().unwrap_or_default();
        (self.runs.add(), plan)
    }
}

/// A request for an operation of tenant `t1`.
pub fn post(path: &str, key: &str, amount: i64) -> Request<Body> {
    post_as("t1", path, key, amount)
}

/// A request for an operation.
pub fn post_as(tenant: &str, path: &str, key: &str, amount: i64) -> Request<Body> {
    Request::post(path)
        .header("x-tenant", tenant)
        .header("idempotency-key", key)
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(format!("{{\"amount\":{amount}}}")))
        .unwrap()
}
