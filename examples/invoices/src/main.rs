//! Invoices that are sent once, whatever happens to their jobs: run it with
//!
//! ```text
//! cargo run --bin invoices
//! ```
//!
//! It takes orders over HTTP, each request sent twice, and has a worker in another process send their
//! invoices. On the way it does what queues and machines do: it kills the worker with an invoice half
//! sent, and delivers every job three times. At the end it prints how often each job was delivered
//! and how many mails there are.
//!
//! In the code, `orders.rs` writes an order and enqueues its job in one commit, `worker.rs` does the
//! job once, and `demo.rs` is the mischief.

mod demo;
mod orders;
mod store;
mod worker;

use std::error::Error;
use std::path::PathBuf;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    // The demo starts this program again as its workers.
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => demo::run().await,
        (Some(role), Some(file)) => {
            let pace = match role {
                "worker" => worker::Pace::Normal,
                "doomed-worker" => worker::Pace::StopsHalfWay,
                other => return Err(format!("no role `{other}`").into()),
            };
            worker::run(&PathBuf::from(file), pace).await
        }
        (Some(_), None) => Err("a worker needs the database's file".into()),
    }
}
