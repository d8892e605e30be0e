//! `Final`: which errors of an operation are its last word.

/// An error that says of itself whether a retry can change it.
///
/// A final error is an answer like any other (the card was refused): it is recorded, and a retry
/// gets it again. A retryable one (the provider did not answer) frees the key, and a retry runs
/// the operation again.
///
/// Derive it: every variant says `#[final_error]` or `#[retryable]`, so that a new variant does
/// not compile until somebody has decided.
///
/// ```
/// # #[cfg(feature = "macros")]
/// # {
/// use idem_core::Final;
///
/// #[derive(Final)]
/// enum PaymentError {
///     #[final_error]
///     CardRefused { code: u16 },
///     #[retryable]
///     ProviderDown,
/// }
///
/// assert!(PaymentError::CardRefused { code: 51 }.is_final());
/// assert!(!PaymentError::ProviderDown.is_final());
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which of its errors are final",
    label = "neither final nor retryable",
    note = "why: a final error is recorded and replayed; a retryable one lets a retry run again",
    note = "fix: `#[derive(Final)]`, and `#[final_error]` or `#[retryable]` on each variant"
)]
pub trait Final {
    /// Whether a retry is given this error again instead of running the operation.
    fn is_final(&self) -> bool;
}
