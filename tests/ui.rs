//! Compile-time behaviour of the attribute: `ui/pass` compiles, each mistake in `ui/fail` gives
//! the error beside it. Folders of `ui/fail` are named for the rule.
//!
//! `TRYBUILD=overwrite cargo test -p idem-tests --test ui` writes the errors anew; read the
//! difference as a user would.

// Two tests: with a case that is to pass in it, trybuild builds and links all the others too.

#[test]
fn correct_code_compiles() {
    trybuild::TestCases::new().pass("ui/pass/**/*.rs");
}

#[test]
fn mistakes_are_errors() {
    trybuild::TestCases::new().compile_fail("ui/fail/**/*.rs");
}
