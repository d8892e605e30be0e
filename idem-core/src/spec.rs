//! `Spec`: what an annotated fn says about its operation, fixed at compile time.

use std::fmt;
use std::time::Duration;

/// The kind of fn that `#[idempotent]` stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// A handler of an axum router.
    Axum,
    /// Any other async fn or method.
    Plain,
    /// A task of an apalis worker.
    Apalis,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Axum => "axum",
            Form::Plain => "plain",
            Form::Apalis => "apalis",
        })
    }
}

/// Which answers are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memoize {
    /// Successes only; anything else frees the key.
    Success,
    /// Successes and final failures; the default.
    Final,
    /// Every answer.
    All,
}

/// The arguments of one `#[idempotent(..)]`.
#[derive(Debug)]
pub struct Spec {
    /// The namespace of its keys.
    pub scope: &'static str,
    /// Which form of the attribute it is.
    pub form: Form,
    /// The key expression, as it is written.
    pub key: &'static str,
    /// Where the attribute stands.
    pub file: &'static str,
    /// Its line there, from 1.
    pub line: u32,
    /// How long a memo is replayed, from completion.
    pub ttl: Duration,
    /// How long a duplicate waits; `None`: as the engine says.
    pub wait: Option<Duration>,
    /// How long claim, body and buffering may take; `None`: as the engine says.
    pub timeout: Option<Duration>,
    /// Which answers are recorded.
    pub memoize: Memoize,
}
