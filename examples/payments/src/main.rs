//! Payments that run once: start here, from the workspace's root, with
//!
//! ```text
//! cargo run --bin payments
//! DATABASE_URL=postgres://user:password@localhost/payments cargo run --bin payments --features postgres
//! ```
//!
//! and paste the lines it prints into another terminal. What to watch:
//!
//! - The first payment answers 201 with its `Location`; the same line again answers the same bytes
//!   with `Idempotent-Replayed: true`, and the list shows one payment.
//! - The same key with another amount answers 422, whether the first has finished or still runs.
//! - Add `"delay_ms": 8000` under a new key, stop the server with `kill -9` meanwhile, start it and
//!   send the line again: it runs at once (for its 8 seconds), and there is one payment. Stop it with Ctrl-C instead: the payment is
//!   finished first.
//! - `"card": "tok_declined"` answers 402 and moves no money, and does so again when repeated;
//!   `"tok_down"` answers 503 and gives the key back.
//!
//! `PORT` (3000; 0 picks a free one), `DATABASE_URL` (`sqlite://payments.sqlite`) and `RUST_LOG`
//! (`info`) change the defaults. In the code, `api/payments.rs` is what `#[idempotent]` looks like;
//! this file starts the server and stops it.

mod api;
mod input;
mod ledger;
mod merchant;
mod model;
#[cfg(feature = "postgres")]
mod postgres;
mod problem;
mod settings;
mod sqlite;
mod stop;
mod welcome;

use std::error::Error;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use idem_core::Idem;
use sqlx::Pool;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::ledger::Ledger;
use crate::settings::{Settings, Store};
use crate::stop::Stop;

type Failure = Box<dyn Error + Send + Sync>;

/// How long running operations may take to finish once the server is asked to stop: as long as
/// Kubernetes waits before it kills.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> ExitCode {
    let levels = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(levels)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        // A line for each operation: its scope, a digest of its key, its outcome.
        .with_span_events(FmtSpan::CLOSE)
        .init();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // sqlx says the cause of an error in its own words already.
            eprintln!("payments: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let stop = Stop::listen()?;
    let Settings { port, store } = Settings::from_env()?;
    match store {
        Store::Sqlite(url) => serve(sqlite::open(&url).await?, port, stop).await,
        #[cfg(feature = "postgres")]
        Store::Postgres(url) => serve(postgres::open(&url).await?, port, stop).await,
    }
}

/// Serves the API until it is asked to stop, and then until what runs has finished.
async fn serve<D: Ledger>(pool: Pool<D>, port: u16, stop: Stop) -> Result<(), Failure> {
    let idem = Idem::new(pool.clone())?;
    idem.setup().await?;
    let router = api::router(idem.clone(), pool.clone());

    let listener = TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| format!("port {port} cannot be used: {error}"))?;
    welcome::print(listener.local_addr()?);
    let asked = stop.clone();
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        asked.asked().await;
    });
    let server = tokio::spawn(server.into_future());

    stop.asked().await;
    tracing::info!("stopping: finishing what runs");
    // Bodies run in tasks of their own, also where a client has hung up: the server's graceful stop
    // waits for connections, `drain` for operations.
    let (running, answered) =
        tokio::join!(idem.drain(PATIENCE), tokio::time::timeout(PATIENCE, server));
    if running > 0 {
        return Err(format!("{running} operations did not finish within {PATIENCE:?}").into());
    }
    match answered {
        Ok(ended) => ended??,
        Err(_) => tracing::warn!("some clients did not take their answers"),
    }
    pool.close().await;
    tracing::info!("stopped");
    Ok(())
}
