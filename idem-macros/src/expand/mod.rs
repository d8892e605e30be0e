//! Writes the expansion; everything it is given was approved by the rules.

mod axum;
mod bounds;
mod fallback;
mod generics;
mod parameters;
mod prologue;
#[cfg(test)]
mod snapshots;
mod spec;

pub(crate) use axum::expand as axum;
pub(crate) use fallback::expand as fallback;
