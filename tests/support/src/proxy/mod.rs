//! A wire that fails at the moment a test names.
//!
//! A [`Proxy`] stands between a client and a server on loopback. [`Proxy::on`] arms a [`Fault`] that
//! fires once, at the first request that runs the SQL named, and the returned [`Armed`] tells the
//! test when it has: nothing depends on timing.
//!
//! A request is what PostgreSQL answers with one `ReadyForQuery`: a simple query, or the extended
//! messages up to `Sync`. It runs a statement when it is a simple query, or binds a statement that
//! was prepared earlier; preparing alone runs nothing.

mod connection;
mod fault;
mod wire;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

pub use self::fault::{Armed, Fault};
use self::wire::Framing;

/// A TCP proxy on 127.0.0.1; its connections end when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    _accepting: AbortOnDropHandle<()>,
}

/// What the proxy and its connections share.
#[derive(Debug)]
struct Shared {
    upstream: SocketAddr,
    framing: Framing,
    weather: watch::Sender<Weather>,
    armed: Mutex<Vec<Armed>>,
    seen: Mutex<Seen>,
}

/// What holds for all connections until it is changed.
#[derive(Clone, Copy, Debug, Default)]
struct Weather {
    stalled: bool,
    refusing: bool,
    reply_delay: Duration,
    /// Connections end when this differs from what it was when they began.
    generation: u64,
}

#[derive(Debug, Default)]
struct Seen {
    statements: Vec<String>,
    round_trips: usize,
}

impl Proxy {
    /// Starts a proxy in front of a PostgreSQL server. It speaks no TLS.
    ///
    /// # Panics
    ///
    /// When no port can be bound.
    pub async fn start(upstream: SocketAddr) -> Self {
        Self::with(Framing::Postgres, upstream).await
    }

    /// Starts a proxy that knows no protocol: each piece of bytes from the client counts as a
    /// request that "runs" its own text, and the next piece from the server as the whole reply.
    ///
    /// # Panics
    ///
    /// When no port can be bound.
    pub async fn start_raw(upstream: SocketAddr) -> Self {
        Self::with(Framing::Bytes, upstream).await
    }

    async fn with(framing: Framing, upstream: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("a port can be bound");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            upstream,
            framing,
            weather: watch::Sender::new(Weather::default()),
            armed: Mutex::default(),
            seen: Mutex::default(),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self {
            address,
            shared,
            _accepting: AbortOnDropHandle::new(accepting),
        }
    }

    /// Says where clients connect.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Arms `fault` for the first request from now on that runs SQL that holds `sql`
    /// as whole words.
    ///
    /// Upper and lower case differ. Of several armed faults that match, the first armed fires.
    pub fn on(&self, sql: &str, fault: Fault) -> Armed {
        let armed = Armed::new(sql, fault);
        lock(&self.shared.armed).push(armed.clone());
        armed
    }

    /// Lets nothing through in either direction until [`Proxy::heal`]; connections stay open, as
    /// when a cable is pulled.
    pub fn blackhole(&self) {
        self.shared
            .weather
            .send_modify(|weather| weather.stalled = true);
    }

    /// Closes new connections as soon as they are made, until [`Proxy::heal`].
    pub fn refuse(&self) {
        self.shared
            .weather
            .send_modify(|weather| weather.refusing = true);
    }

    /// Delays each message of the server by `delay`, until [`Proxy::heal`].
    pub fn delay_replies(&self, delay: Duration) {
        self.shared
            .weather
            .send_modify(|weather| weather.reply_delay = delay);
    }

    /// Ends [`Proxy::blackhole`], [`Proxy::refuse`] and [`Proxy::delay_replies`]: what was held back
    /// flows on. Armed faults stay armed.
    pub fn heal(&self) {
        self.shared.weather.send_modify(|weather| {
            *weather = Weather {
                generation: weather.generation,
                ..Weather::default()
            };
        });
    }

    /// Drops all connections of now; new ones are taken.
    pub fn sever(&self) {
        self.shared
            .weather
            .send_modify(|weather| weather.generation += 1);
    }

    /// Lists the statements that were run through the proxy so far, in order. Those of different
    /// connections interleave.
    #[must_use]
    pub fn statements(&self) -> Vec<String> {
        lock(&self.shared.seen).statements.clone()
    }

    /// Counts the requests so far, those that only prepare included.
    ///
    /// Connecting is none, and neither is a bare `Sync`, by which sqlx's pool tries a connection
    /// when it is taken and given back.
    #[must_use]
    pub fn round_trips(&self) -> usize {
        lock(&self.shared.seen).round_trips
    }

    /// Forgets the statements and round trips seen so far.
    pub fn forget_seen(&self) {
        *lock(&self.shared.seen) = Seen::default();
    }
}

impl Shared {
    /// Takes the fault that `statements` fire.
    fn take_fault(&self, statements: &[String]) -> Option<Armed> {
        let mut armed = lock(&self.armed);
        let position = armed.iter().position(|fault| fault.matches(statements))?;
        Some(armed.remove(position))
    }

    /// Waits while nothing is let through.
    async fn flowing(&self) {
        let mut weather = self.weather.subscribe();
        weather
            .wait_for(|now| !now.stalled)
            .await
            .expect("BUG: the sender is borrowed here");
    }

    fn record(&self, statements: &[String]) {
        let mut seen = lock(&self.seen);
        seen.statements.extend_from_slice(statements);
        seen.round_trips += 1;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // Dropped with this task, and the connections with it.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        if !shared.weather.borrow().refusing {
            connections.spawn(serve(client, Arc::clone(&shared)));
        }
    }
}

async fn serve(client: TcpStream, shared: Arc<Shared>) {
    let mut weather = shared.weather.subscribe();
    let born = weather.borrow_and_update().generation;
    tokio::select! {
        // An error ends both connections, which is all that either side can see of it.
        _ = connection::relay(client, &shared) => {}
        _ = weather.wait_for(|now| now.generation != born) => {}
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
