//! Compile-time behaviour of the attribute: what stands in `ui/pass` compiles, each mistake in
//! `ui/fail` gives the error beside it. Folders of `ui/fail` are named for the rule; the corrected
//! twin of each mistake has the same name in `ui/pass`.
//!
//! `TRYBUILD=overwrite cargo test -p idem-tests --test ui` writes the errors anew; read the
//! difference as a user would.

use std::fs;
use std::path::{Path, PathBuf};

// Part of this crate instead of one binary a file, which would take minutes to link.
#[path = "ui/jobs.rs"]
mod jobs;
#[path = "ui/pass/mod.rs"]
mod pass;
#[path = "ui/shop.rs"]
mod shop;

#[test]
fn mistakes_are_errors() {
    trybuild::TestCases::new().compile_fail("ui/fail/**/*.rs");
}

/// A case that no `mod.rs` lists is not compiled.
#[test]
fn every_correct_case_is_compiled() {
    for case in files("ui/pass", "rs") {
        let name = case.file_stem().unwrap().to_str().unwrap();
        let parent = case.parent().unwrap();
        let (listing, name) = match name {
            "mod" if parent == Path::new("ui/pass") => continue,
            "mod" => (parent.with_file_name("mod.rs"), parent.file_name().unwrap()),
            name => (parent.join("mod.rs"), name.as_ref()),
        };
        let listed = fs::read_to_string(&listing).unwrap();
        let name = name.to_str().unwrap();
        assert!(
            listed.contains(&format!("mod {name};")) || listed.contains(&format!("mod r#{name};")),
            "{} is not listed in {}",
            case.display(),
            listing.display()
        );
    }
}

#[test]
fn every_mistake_has_a_corrected_twin() {
    let mistakes = files("ui/fail", "rs");
    assert!(mistakes.len() >= 80, "only {} mistakes", mistakes.len());
    for mistake in mistakes {
        let twin = twin(&mistake);
        assert!(twin.exists(), "{} has no twin", mistake.display());
    }
}

/// Advice in prose, whose code says what to delete or where it goes.
const PROSE: &[&str] = &[
    // "delete `unsafe`": the twin has none.
    "signature/unsafe_fn",
    "signature/const_fn",
    "signature/extern_fn",
    // "the `impl`": a handler is in none.
    "signature/without_body",
    // "use the one field", "derive it for a struct": their names are the user's.
    "derive/key_part_union",
    "derive/operational_enum",
    // Keys of requests: a job has none of their parts.
    "ambient/alias_of_data",
    // A list of types to choose from.
    "key_part",
];

/// What a message offers as its fix stands in the twin, so it compiles as it is written.
#[test]
fn every_fix_is_compiled_in_the_twin() {
    let mut mirrored = 0;
    let mut missing = Vec::new();
    for error in files("ui/fail", "stderr") {
        let name = error.strip_prefix("ui/fail").unwrap().with_extension("");
        let text = fs::read_to_string(&error).unwrap();
        let fixes: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split("fix: ").nth(1))
            .collect();
        let code = fixes
            .iter()
            .flat_map(|fix| fix.split('`').skip(1).step_by(2));
        // The header's name is no code.
        let offered: Vec<&str> = code.filter(|one| *one != "Idempotency-Key").collect();
        if offered.is_empty() || PROSE.iter().any(|one| name.starts_with(one)) {
            continue;
        }
        let twin = squeezed(&fs::read_to_string(twin(&error)).unwrap());
        if !offered.iter().any(|code| twin.contains(&squeezed(code))) {
            missing.push(format!(
                "the twin of {} has none of {offered:?}",
                error.display()
            ));
        }
        mirrored += 1;
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(mirrored >= 60, "only {mirrored} fixes are mirrored");
}

/// The attribute's page quotes messages as they are.
#[test]
fn the_docs_use_the_words_of_the_messages() {
    let messages: String = files("ui/fail", "stderr")
        .iter()
        .map(|file| fs::read_to_string(file).unwrap().replace("shop::", ""))
        .collect();
    let words = |line: &str| line.trim().trim_start_matches("= note: ").to_owned();
    let said: Vec<String> = messages.lines().map(words).collect();
    let docs = include_str!("../idem-macros/src/docs/idempotent.md");
    let mut quoted = 0;
    for block in docs.split("```text\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            assert!(said.contains(&words(line)), "no message says {line:?}");
            quoted += 1;
        }
    }
    assert!(quoted >= 50, "only {quoted} lines are quoted");
}

/// Code without white space and trailing commas, as rustfmt may have moved it.
fn squeezed(code: &str) -> String {
    let text: String = code.chars().filter(|one| !one.is_whitespace()).collect();
    text.replace(",)", ")")
}

fn twin(mistake: &Path) -> PathBuf {
    let name = mistake.strip_prefix("ui/fail").unwrap();
    Path::new("ui/pass").join(name).with_extension("rs")
}

/// All files below `folder` with this extension.
fn files(folder: impl AsRef<Path>, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the cases are here") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|one| one == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}
