//! Compile-time behaviour of the attribute: what stands in `ui/pass` compiles, each mistake in
//! `ui/fail` gives the error beside it. Folders of `ui/fail` are named for the rule.
//!
//! `TRYBUILD=overwrite cargo test -p idem-tests --test ui` writes the errors anew; read the
//! difference as a user would.

// Part of this crate instead of one binary a file, which would take minutes to link.
#[path = "ui/pass/mod.rs"]
mod pass;
#[path = "ui/shop.rs"]
mod shop;

#[test]
fn mistakes_are_errors() {
    trybuild::TestCases::new().compile_fail("ui/fail/**/*.rs");
}

#[test]
fn every_correct_case_is_compiled() {
    let listed = include_str!("ui/pass/axum/mod.rs");
    for entry in std::fs::read_dir("ui/pass/axum").expect("the cases are here") {
        let name = entry
            .expect("a readable folder")
            .file_name()
            .into_string()
            .unwrap();
        let name = name.trim_end_matches(".rs");
        assert!(
            name == "mod" || listed.contains(&format!("mod {name};")),
            "ui/pass/axum/{name}.rs is not listed in mod.rs"
        );
    }
}
