//! The operations of this binary, gathered at link time: for listings, and so that no two of them
//! share a scope.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::spec::{Form, Spec};

/// What an expansion hands in.
#[derive(Debug)]
pub struct Registered(pub &'static Spec);

inventory::collect!(Registered);

/// One `#[idempotent]` fn of this binary, as [`operations`] lists it.
#[derive(Debug, Clone, Copy)]
pub struct OperationInfo(&'static Spec);

impl OperationInfo {
    /// The namespace of its keys: what [`Idem::forget`](crate::Idem::forget) and the table
    /// `idem_record` call it.
    pub fn scope(&self) -> &'static str {
        self.0.scope
    }

    /// The form of the attribute.
    pub fn form(&self) -> Form {
        self.0.form
    }

    /// The text of its `key = ..`.
    pub fn key(&self) -> &'static str {
        self.0.key
    }

    /// How long its answers are replayed, from completion.
    pub fn ttl(&self) -> Duration {
        self.0.ttl
    }

    /// The source file its attribute stands in, as `file!()` gives it.
    pub fn file(&self) -> &'static str {
        self.0.file
    }

    /// The attribute's line in that file, from 1.
    pub fn line(&self) -> u32 {
        self.0.line
    }
}

/// All `#[idempotent]` fns linked into this binary, by scope: generic ones once, however many
/// types they are used with, and those of other crates too.
///
/// ```
/// for operation in idem_core::operations() {
///     println!("{} {} {:?}", operation.scope(), operation.key(), operation.ttl());
/// }
/// ```
pub fn operations() -> impl Iterator<Item = OperationInfo> {
    let mut all: Vec<_> = inventory::iter::<Registered>
        .into_iter()
        .map(|registered| OperationInfo(registered.0))
        .collect();
    all.sort_by_key(|one| (one.scope(), one.file(), one.line()));
    all.into_iter()
}

/// Checks that no two operations of this binary share a scope.
///
/// # Errors
/// [`Error::NotReady`] naming both places.
pub(crate) fn check_scopes() -> Result<()> {
    match operations()
        .zip(operations().skip(1))
        .find(|(one, next)| one.scope() == next.scope())
    {
        None => Ok(()),
        Some((one, next)) => Err(Error::not_ready(format!(
            "two operations have the scope `{}`, so each would answer the other's retries: {}:{} \
             and {}:{}; give one of them a `scope = \"..\"` of its own",
            one.scope(),
            one.file(),
            one.line(),
            next.file(),
            next.line(),
        ))),
    }
}
