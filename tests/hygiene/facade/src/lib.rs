//! A crate of one's own between application and toolkit, as larger workspaces have.

/// The toolkit: users name it by `crate = ::idem_test_facade::toolkit`.
pub use idem_core as toolkit;
/// The attribute under a name of one's own.
pub use idem_core::axum::idempotent as once;
