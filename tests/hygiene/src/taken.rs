//! Names that expansions must not mean when they say them.

#![allow(dead_code, reason = "nobody is to use them")]

pub(crate) struct Ok;
pub(crate) struct Err;
pub(crate) struct Some;
pub(crate) struct None;
pub(crate) struct Result;
pub(crate) struct Option;
pub(crate) struct String;
pub(crate) struct Json;
pub(crate) struct Response;
pub(crate) trait Send {}
pub(crate) trait Sync {}
pub(crate) trait Future {}
pub(crate) trait Clone {}
pub(crate) mod std {}
pub(crate) mod core {}
pub(crate) mod axum {}
pub(crate) mod serde {}
pub(crate) mod idem_core {}
