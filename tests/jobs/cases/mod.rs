//! What is tried on each store.

mod answers;
mod enqueue;
mod options;
mod redelivery;
