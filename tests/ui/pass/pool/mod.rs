//! What the mistakes in `fail/pool` were meant to be.
mod borrowed;
mod extension;
mod in_data;
mod parameter;
mod query;
