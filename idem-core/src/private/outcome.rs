//! Whether an answer is an `Err`, found through aliases by its value's type.

/// The ladder's subject: `(&&Outcome(&answer)).is_err()`.
#[derive(Debug)]
pub struct Outcome<'a, T>(pub &'a T);

/// The rung of every `Result`.
pub trait ResultOutcome {
    /// Whether it is an `Err`.
    fn is_err(&self) -> bool;
}

impl<T, E> ResultOutcome for &Outcome<'_, Result<T, E>> {
    fn is_err(&self) -> bool {
        self.0.is_err()
    }
}

/// The rung of everything else.
pub trait PlainOutcome {
    /// Never an `Err`.
    fn is_err(&self) -> bool;
}

impl<T> PlainOutcome for Outcome<'_, T> {
    fn is_err(&self) -> bool {
        false
    }
}
