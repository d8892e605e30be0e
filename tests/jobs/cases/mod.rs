//! What is tried on each store.

mod enqueue;
