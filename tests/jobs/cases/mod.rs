//! What is tried on each store.

mod answers;
mod enqueue;
mod kills;
mod options;
mod redelivery;
