//! What the mistakes in `fail/pool` were meant to be.

mod extension;
mod parameter;
mod query;
