//! `Spec`: what an annotated fn says about its operation, fixed at compile time.

use std::time::Duration;

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
    /// How long a memo is replayed, from completion.
    pub ttl: Duration,
    /// How long a duplicate waits; `None`: as the engine says.
    pub wait: Option<Duration>,
    /// How long claim, body and buffering may take; `None`: as the engine says.
    pub timeout: Option<Duration>,
    /// Which answers are recorded.
    pub memoize: Memoize,
}
