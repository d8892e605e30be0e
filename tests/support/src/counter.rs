//! Counting how often something ran.

use std::sync::Arc;

use tokio::sync::watch;

use crate::patience::soon;

/// A count of runs, shared by its clones.
#[derive(Clone, Debug)]
pub struct Counter {
    count: Arc<watch::Sender<usize>>,
}

impl Counter {
    /// Makes a counter that stands at zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            count: Arc::new(watch::Sender::new(0)),
        }
    }

    /// Counts one more and returns the new count.
    pub fn add(&self) -> usize {
        let mut reached = 0;
        self.count.send_modify(|count| {
            *count += 1;
            reached = *count;
        });
        reached
    }

    /// Reads the count.
    #[must_use]
    pub fn count(&self) -> usize {
        *self.count.borrow()
    }

    /// Waits until at least `count` were counted.
    ///
    /// # Panics
    ///
    /// When that takes longer than [`PATIENCE`](crate::patience::PATIENCE).
    pub async fn reached(&self, count: usize) {
        let mut changes = self.count.subscribe();
        let what = format!("a count of {count}");
        soon(&what, changes.wait_for(|now| *now >= count))
            .await
            .expect("BUG: the sender lives as long as `self`");
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}
