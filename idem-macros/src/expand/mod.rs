//! Writes the expansion; everything it is given was approved by the rules.

mod apalis;
mod axum;
mod body;
mod bounds;
mod fallback;
mod generics;
mod parameters;
mod plain;
mod prologue;
#[cfg(test)]
mod snapshots;
mod spec;

pub(crate) use apalis::expand as apalis;
pub(crate) use axum::expand as axum;
pub(crate) use fallback::expand as fallback;
pub(crate) use plain::expand as plain;
