//! What the tests of idem stand on: real servers, faults on the wire, and signals instead of sleeps.
//!
//! - [`postgres`]: a PostgreSQL server of the test's own, killed and restarted at will.
//! - [`sqlite`]: a fresh SQLite file.
//! - [`proxy`]: a wire that loses the reply to COMMIT, holds a message, or stalls.
//! - [`gate`] and [`counter`]: stopping a body at a point, and counting how often it ran.
//! - [`patience`]: the bound on every wait, so that a broken promise fails instead of hanging.
//! - [`process`]: a program of the workspace as a child that can be killed.
//! - [`http`]: answers that can be compared, from a router or over a socket.
//! - [`logs`]: everything that was logged, at every level.
//!
//! Helpers panic where a test could do nothing but fail: a store out of reach fails the run, it is
//! never skipped. The crate knows nothing of idem itself.

#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub, missing_debug_implementations)]

mod build;
pub mod counter;
pub mod gate;
pub mod http;
pub mod logs;
pub mod patience;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod sqlite;
