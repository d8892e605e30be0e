//! What the mistakes in `fail/endless` were meant to be.

mod sse;
