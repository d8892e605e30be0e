//! What idempotency costs: the attribute against the same handler bare, and against one with claim
//! and record written by hand.
//!
//! ```text
//! cargo run --release -p idem-benches                      # everything, about five minutes
//! cargo run --release -p idem-benches -- --quick           # everything, under a minute, noisier
//! cargo run --release -p idem-benches -- first/postgres    # measurements whose name has this text
//! ```
//!
//! Needs PostgreSQL's server programs, as the tests do; starts a private server in a temporary
//! folder and writes nothing else. Prints Markdown.
//!
//! How to read and trust it:
//! - The variants are **a** bare, **b** written by hand as the book "Zero To Production In Rust"
//!   teaches it, **b'** the same code again, and **c** the attribute (`variants/`). Each works in a
//!   database of its own, alike in schema and settings; they share process, server and client.
//! - All variants of a line are measured in turns: a round gives each a slice of time, and the order
//!   rotates. Numbers are the median over rounds of the quotient within one round, and in brackets
//!   the lowest and highest. How far b'/b is from 1 is the noise of this machine at this moment.
//! - Every answer is checked: its status, that it is a replay or is none, and a replay's body.
//! - Commits are durable: `fsync` is on, and SQLite's `synchronous` is FULL. Autovacuum is off, so
//!   that it does not run in one slice and not in another; this spares b the cleaning of its dead rows.
//! - Pools have 16 connections and sqlx's defaults, so each operation also pings its connection:
//!   one more round trip that is no statement.

#![forbid(unsafe_code)]

mod call;
mod client;
mod measure;
mod options;
mod report;
mod sections;
mod stage;
mod subject;

use std::time::Instant;

use options::Options;
use stage::Stage;

#[path = "."]
mod on_postgres {
    #[path = "databases/postgres.rs"]
    pub(crate) mod database;
    #[path = "variants/mod.rs"]
    pub(crate) mod variants;
}

#[path = "."]
mod on_sqlite {
    #[path = "databases/sqlite.rs"]
    pub(crate) mod database;
    #[expect(clippy::duplicate_mod, reason = "the same handlers, on each database")]
    #[path = "variants/mod.rs"]
    pub(crate) mod variants;
}

#[tokio::main]
async fn main() {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            std::process::exit(2);
        }
    };
    let started = Instant::now();
    println!("{}", options.describe());
    // First, while this process is small.
    sections::memory::run(&options).await;
    let stage = Stage::default();
    sections::first::run(&stage, &options).await;
    sections::replay::run(&stage, &options).await;
    sections::copies::run(&stage, &options).await;
    sections::cost::run(&stage, &options).await;
    sections::writers::run(&stage, &options).await;
    println!("Measured in {} s.", started.elapsed().as_secs());
}
