//! What the mistakes in `fail/downstream` were meant to be.

mod in_format;
mod uuid;
