//! case M12: expansions that find nothing in scope: no prelude, the toolkit under another name or
//! behind another crate, and the usual names taken.
//!
//! That it compiles is the test; `cargo clippy --workspace` builds it.

#![no_implicit_prelude]
#![deny(warnings)]

pub mod behind_a_facade;
pub mod renamed_dependency;
mod taken;
