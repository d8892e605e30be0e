//! What the mistakes in `fail/spawn` were meant to be.

mod blocking;
mod thread;
mod tokio;
