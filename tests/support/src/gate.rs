//! Stopping a body at a point until the test lets it go on.

use std::sync::Arc;

use tokio::sync::watch;

use crate::patience::soon;

/// A place in a body where it stops until the test lets it pass; shared by its clones.
///
/// The body calls [`Gate::pass`]; the test learns of it with [`Gate::arrived`] and goes on with
/// [`Gate::admit`] or [`Gate::open`].
#[derive(Clone, Debug)]
pub struct Gate {
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Default)]
struct State {
    arrived: usize,
    admitted: usize,
    open: bool,
}

impl Gate {
    /// Makes a gate that is shut.
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: Arc::new(watch::Sender::new(State::default())),
        }
    }

    /// Arrives at the gate and waits until it lets this caller pass. For the body.
    ///
    /// Callers pass in the order in which they arrived. There is no bound on the wait: a body that
    /// nobody lets go on is what some tests need.
    ///
    /// # Cancel safety
    ///
    /// A caller that is dropped while it waits keeps its place in the count.
    pub async fn pass(&self) {
        let mut changes = self.state.subscribe();
        let mut place = 0;
        self.state.send_modify(|state| {
            state.arrived += 1;
            place = state.arrived;
        });
        changes
            .wait_for(|state| state.open || state.admitted >= place)
            .await
            .expect("BUG: the sender lives as long as `self`");
    }

    /// Waits until `count` callers have arrived since the gate was made, whether or not they passed.
    ///
    /// # Panics
    ///
    /// When that takes longer than [`PATIENCE`](crate::patience::PATIENCE).
    pub async fn arrived(&self, count: usize) {
        let mut changes = self.state.subscribe();
        let what = format!("{count} to arrive at the gate");
        soon(&what, changes.wait_for(|state| state.arrived >= count))
            .await
            .expect("BUG: the sender lives as long as `self`");
    }

    /// Reads how many callers have arrived since the gate was made.
    #[must_use]
    pub fn arrivals(&self) -> usize {
        self.state.borrow().arrived
    }

    /// Lets the next `count` callers pass, those that are still to arrive included.
    pub fn admit(&self, count: usize) {
        self.state.send_modify(|state| state.admitted += count);
    }

    /// Lets everyone pass from now on.
    pub fn open(&self) {
        self.state.send_modify(|state| state.open = true);
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}
