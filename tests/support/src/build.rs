//! Building a program of the workspace from within a test.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Builds the binary `name` of the workspace's package `package` with `features` on top of its
/// default ones, and gives its path.
///
/// Uses the profile and target folder of the running test. Builds that differ in features are kept
/// apart, and asking for the same one again in one process costs nothing. Blocks; cargo has nothing
/// to do unless a source changed.
///
/// # Panics
///
/// When cargo fails, after showing why.
#[must_use]
pub fn build(package: &str, name: &str, features: &[&str]) -> PathBuf {
    static BUILT: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    let built_as = [&["idem-test", name], features].concat().join("-");
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let built = built.get_or_insert_default();
    if let Some(path) = built.get(&built_as) {
        return path.clone();
    }

    let profile_folder = profile_folder();
    let path = profile_folder.join(&built_as);
    // Held until the binary is copied, as the next build may have other features.
    let lock =
        File::create(profile_folder.join("idem-test.lock")).expect("a lock file can be made");
    lock.lock().expect("a file can be locked");
    run_cargo(package, name, features, &profile_folder);
    // Replaced, not overwritten: another test may be running the old one.
    let fresh = path.with_extension("fresh");
    fs::copy(profile_folder.join(name), &fresh).expect("cargo built the binary");
    fs::rename(&fresh, &path).expect("a file can be renamed");
    built.insert(built_as, path.clone());
    path
}

/// Finds `target/<profile>`: tests run from its folder `deps`.
fn profile_folder() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let folder = test
        .ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps"));
    folder.expect("a binary lies in a folder").to_owned()
}

fn run_cargo(package: &str, name: &str, features: &[&str], profile_folder: &Path) {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command
        .arg("build")
        // The whole workspace decides on dependencies' features, as it does for the tests, so that
        // none is built twice; `--bin` then picks what is built.
        .args(["--quiet", "--workspace", "--bin", name])
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
        .arg("--target-dir")
        .arg(
            profile_folder
                .parent()
                .expect("a profile's folder lies in the target folder"),
        );
    for feature in features {
        command
            .arg("--features")
            .arg(format!("{package}/{feature}"));
    }
    match profile_folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some(profile) => {
            command.args(["--profile", profile]);
        }
    }
    let status = command.status().expect("cargo can be started");
    assert!(
        status.success(),
        "cargo cannot build `{name}` of `{package}`: {status}"
    );
}
