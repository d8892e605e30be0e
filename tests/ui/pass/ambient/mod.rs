//! What the mistakes in `fail/ambient` were meant to be.
mod alias;
mod argument_of_a_fn;
mod extension;
mod headers;
mod marked;
mod method;
mod state;
mod transaction;
