//! Compile-time behaviour of the attribute: `ui/pass` compiles, each mistake in `ui/fail` gives
//! the error beside it. Folders of `ui/fail` are named for the rule.
//!
//! `TRYBUILD=overwrite cargo test -p idem-tests --test ui` writes the errors anew; read the
//! difference as a user would.

#[test]
fn expansions() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/**/*.rs");
    cases.compile_fail("ui/fail/**/*.rs");
}
