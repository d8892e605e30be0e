//! What can go wrong once, and the test's handle on it.

use std::sync::Arc;

use tokio::sync::watch;

use crate::patience::soon;

/// What happens to the request that fires a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Forwards the request, swallows the whole reply, then drops both connections: the server has
    /// done its part and the client never learns of it.
    LoseReply,
    /// Drops both connections without forwarding anything of the request.
    DropBefore,
    /// Keeps the request back until [`Armed::release`].
    HoldBefore,
    /// Forwards the request and keeps the whole reply back until [`Armed::release`].
    HoldReply,
}

/// A fault that waits for its request, or has met it; shared by its clones.
#[derive(Clone, Debug)]
pub struct Armed {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    sql: String,
    fault: Fault,
    fired: watch::Sender<bool>,
    released: watch::Sender<bool>,
}

impl Armed {
    pub(super) fn new(sql: &str, fault: Fault) -> Self {
        let inner = Inner {
            sql: sql.to_owned(),
            fault,
            fired: watch::Sender::new(false),
            released: watch::Sender::new(false),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Waits until the fault has had its effect: for [`Fault::LoseReply`] and [`Fault::HoldReply`]
    /// the server's reply is complete, for [`Fault::HoldBefore`] the request has arrived.
    ///
    /// # Panics
    ///
    /// When that takes longer than [`PATIENCE`](crate::patience::PATIENCE).
    pub async fn fired(&self) {
        let what = format!("{:?} on `{}`", self.inner.fault, self.inner.sql);
        soon(&what, wait(&self.inner.fired)).await;
    }

    /// Reads whether the fault has had its effect.
    #[must_use]
    pub fn has_fired(&self) -> bool {
        *self.inner.fired.borrow()
    }

    /// Lets go what [`Fault::HoldBefore`] or [`Fault::HoldReply`] keeps back, or will.
    pub fn release(&self) {
        self.inner.released.send_replace(true);
    }

    pub(super) fn fault(&self) -> Fault {
        self.inner.fault
    }

    pub(super) fn matches(&self, statements: &[String]) -> bool {
        statements
            .iter()
            .any(|statement| holds(statement, &self.inner.sql))
    }

    pub(super) fn fire(&self) {
        self.inner.fired.send_replace(true);
    }

    pub(super) async fn hold(&self) {
        self.fire();
        wait(&self.inner.released).await;
    }
}

/// Whether `sql` stands in `statement` as whole words: `COMMIT` is not in `READ COMMITTED`.
fn holds(statement: &str, sql: &str) -> bool {
    let of_word = |character: char| character.is_alphanumeric();
    statement.match_indices(sql).any(|(at, _)| {
        !statement[..at].ends_with(of_word) && !statement[at + sql.len()..].starts_with(of_word)
    })
}

async fn wait(flag: &watch::Sender<bool>) {
    flag.subscribe()
        .wait_for(|set| *set)
        .await
        .expect("BUG: the sender is borrowed here");
}
