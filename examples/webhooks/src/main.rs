//! Webhooks that count once, however often they are delivered: run it with
//!
//! ```text
//! cargo run --bin webhooks
//! ```
//!
//! It serves two receivers of a payment provider's events, plays the provider, which delivers each
//! event several times, and prints what came of it:
//!
//! - `ledger` books the payment; `receipt` hands a mail over to a job queue in the same commit. They
//!   are two operations with two scopes, so each sees every event once.
//! - The signature is checked over the raw body before any key is claimed (`event.rs`): a forged or
//!   stale delivery costs nothing.
//! - Redeliveries carry a new signature and a changed counter; `fingerprint = none` lets them replay.
//! - A delivery that fails is undone and runs again; a 2xx is sent only after the commit.
//!
//! In the code, start with `handlers.rs`.

mod event;
mod handlers;
mod mails;
mod provider;
mod signature;
mod store;

use std::error::Error;

use idem_core::Idem;
use tokio::net::TcpListener;

use crate::handlers::{App, router};
use crate::provider::{Delivery, Provider};

type Failure = Box<dyn Error + Send + Sync>;

/// What the provider and the receiver share; from a secret store in life.
const SECRET: &[u8] = b"whsec_for_the_demo_only";

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let pool = store::open(&folder.path().join("webhooks.sqlite")).await?;
    let idem = Idem::new(pool.clone())?;
    idem.setup().await?;

    let app = App::new(idem.clone(), SECRET);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let provider = Provider::new(listener.local_addr()?, SECRET);
    let server = tokio::spawn(axum::serve(listener, router(app.clone())).into_future());

    println!("event  receiver  deliveries (r: replayed)");
    for receiver in ["ledger", "receipt"] {
        for event in ["evt_1", "evt_2"] {
            // The ledger fails once, at the first delivery of the second event.
            app.fail_next(receiver == "ledger" && event == "evt_2");
            let answers = provider
                .deliver(receiver, event, 4, Delivery::Signed)
                .await?;
            println!("{event}  {receiver:8}  {}", answers.join(" "));
        }
    }
    for (event, delivery) in [("evt_3", Delivery::Forged), ("evt_4", Delivery::Stale)] {
        let answers = provider.deliver("ledger", event, 1, delivery).await?;
        println!("{event}  ledger    {} ({delivery})", answers.join(" "));
    }

    mails::send_all(&pool, &idem).await?;
    println!();
    println!("booked payments: {}", store::count(&pool, "payment").await?);
    println!("sent receipts:   {}", store::count(&pool, "mail").await?);
    server.abort();
    Ok(())
}
