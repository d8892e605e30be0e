//! What the mistakes in `fail/arguments` were meant to be.
mod allow;
mod crate_as_text;
mod given_twice;
mod half_typed_key;
mod memoize;
mod missing_key;
mod no_key;
mod no_key_of_a_fn;
mod scope;
mod unknown;
mod without_value;
