//! What the mistakes in `fail/ambient` were meant to be.
mod alias;
mod alias_of_data;
mod argument_of_a_fn;
mod attempt;
mod data;
mod extension;
mod headers;
mod marked;
mod method;
mod state;
mod transaction;
