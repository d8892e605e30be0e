//! The key expression: what flows into it, and how it is emitted without moving anything.

mod borrow;
mod calls;
mod format;
mod generators;
mod reading;
mod scope;

pub(crate) use borrow::{borrowed, has_shared};
pub(crate) use generators::{Generator, function as function_maker, macro_name as macro_maker};
pub(crate) use reading::{Flow, Fresh, Reading, UnknownName};
