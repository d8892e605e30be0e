//! What is measured: one file a table.

pub(crate) mod copies;
pub(crate) mod cost;
pub(crate) mod first;
pub(crate) mod memory;
pub(crate) mod replay;
pub(crate) mod writers;
