//! Where PostgreSQL's programs are and whom they run as.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use nix::unistd::{User, geteuid};

/// The installed PostgreSQL programs.
#[derive(Debug)]
pub(super) struct Installation {
    bin: PathBuf,
    owner: Option<User>,
}

impl Installation {
    /// Finds `initdb` and `postgres` in `PATH`, else the newest of Debian's folders.
    pub(super) fn find() -> Self {
        let bin = in_path().or_else(newest_of_debian).expect(
            "PostgreSQL's server programs are needed for these tests: `apt-get install postgresql`",
        );
        // PostgreSQL refuses to run as root.
        let owner = geteuid().is_root().then(|| {
            User::from_name("postgres")
                .expect("the users of this machine can be read")
                .expect("tests run by root start PostgreSQL as the user `postgres`, who is missing")
        });
        Self { bin, owner }
    }

    /// Prepares a call of one of the programs, run in `folder` as the servers' owner.
    pub(super) fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(self.bin.join(program));
        command.current_dir(folder);
        if let Some(owner) = &self.owner {
            command.uid(owner.uid.as_raw()).gid(owner.gid.as_raw());
        }
        command
    }

    /// Gives `path` to the servers' owner.
    pub(super) fn hand_over(&self, path: &Path) {
        if let Some(owner) = &self.owner {
            std::os::unix::fs::chown(path, Some(owner.uid.as_raw()), Some(owner.gid.as_raw()))
                .expect("root can give a file away");
        }
    }
}

fn in_path() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).find(|folder| has_server(folder))
}

fn newest_of_debian() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    versions
        .filter_map(|entry| Some((major(&entry.file_name())?, entry.path().join("bin"))))
        .filter(|(_, bin)| has_server(bin))
        .max()
        .map(|(_, bin)| bin)
}

fn major(name: &OsStr) -> Option<u32> {
    name.to_str()?.parse().ok()
}

fn has_server(folder: &Path) -> bool {
    folder.join("initdb").is_file() && folder.join("postgres").is_file()
}
