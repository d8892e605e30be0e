//! What the mistakes in `fail/optional` were meant to be.

mod key_header;
