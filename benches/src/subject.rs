//! `Subject`: one variant under test, served over a socket and callable without one.

use std::any::Any;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::Request;
use axum::response::Response;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::call::{Answer, Call};
use crate::client::Connection;

/// How a handler gets its idempotency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Not at all.
    Bare,
    /// By hand.
    ByHand,
    /// By hand again: whatever differs from [`Variant::ByHand`] is noise.
    ByHandAgain,
    /// By the attribute.
    Attribute,
    /// By the attribute, on an engine that keeps no answers in memory.
    Uncached,
}

/// How a handler is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Through axum, over a loopback socket.
    Http,
    /// As the function it is.
    Engine,
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Http => "http",
            Way::Engine => "engine",
        }
    }
}

/// Calls a handler as a function.
pub(crate) type Direct =
    Arc<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Response> + Send>> + Send + Sync>;

/// One variant on a database of its own.
pub(crate) struct Subject {
    pub(crate) variant: Variant,
    direct: Direct,
    address: SocketAddr,
    server: JoinHandle<()>,
    busy: Box<dyn Fn() -> u32 + Send + Sync>,
    /// Whatever must live as long: a folder, a database.
    _keep: Box<dyn Any + Send + Sync>,
}

impl Subject {
    /// Serves `router` on a free port.
    pub(crate) async fn new<Db: sqlx::Database>(
        variant: Variant,
        router: Router,
        direct: Direct,
        pool: sqlx::Pool<Db>,
        keep: Box<dyn Any + Send + Sync>,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let listener = listener.tap_io(|stream| {
            stream
                .set_nodelay(true)
                .expect("a socket without delay can be had");
        });
        let server = async move {
            axum::serve(listener, router)
                .await
                .expect("the server runs until it is aborted");
        };
        Subject {
            variant,
            direct,
            address,
            server: tokio::spawn(server),
            busy: Box::new(move || pool.size() - u32::try_from(pool.num_idle()).unwrap_or(0)),
            _keep: keep,
        }
    }

    /// How many connections of its pool are in use.
    pub(crate) fn busy_connections(&self) -> u32 {
        (self.busy)()
    }

    /// One client.
    pub(crate) async fn client(&self, way: Way) -> Client {
        match way {
            Way::Http => Client::Http(Box::new(Connection::open(self.address).await)),
            Way::Engine => Client::Engine(Arc::clone(&self.direct)),
        }
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// One client of a subject, with one request at a time.
pub(crate) enum Client {
    Http(Box<Connection>),
    Engine(Direct),
}

impl Client {
    pub(crate) async fn send(&mut self, call: &Call) -> Answer {
        match self {
            Client::Http(connection) => connection.send(call).await,
            Client::Engine(direct) => {
                let response = direct(call.clone()).await;
                Answer {
                    status: response.status().as_u16(),
                    replayed: response.headers().contains_key("idempotent-replayed"),
                    body: axum::body::to_bytes(response.into_body(), usize::MAX)
                        .await
                        .expect("the answers here are in memory"),
                }
            }
        }
    }
}

/// A key as a handler gets it, for a call without a request.
pub(crate) async fn extract_key<K: FromRequestParts<()>>(call: &Call) -> K {
    let request = Request::builder().header("idempotency-key", &call.key);
    let (mut parts, ()) = request
        .body(())
        .expect("keys here are header values")
        .into_parts();
    match K::from_request_parts(&mut parts, &()).await {
        Ok(key) => key,
        Err(_) => panic!("keys here are well formed"),
    }
}
