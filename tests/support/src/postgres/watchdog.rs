//! The end of a server whose test process ended in any way.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Reads process ids until the test process closes the pipe, which the kernel does for it even after
/// kill -9; then ends the last one named and removes the folder. A line `0` means that none runs.
const SCRIPT: &str = r#"
server=0
while read -r line; do server=$line; done
if [ "$server" != 0 ]; then
    kill -QUIT "$server" 2>/dev/null
    tries=0
    while kill -0 "$server" 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL "$server" 2>/dev/null
fi
# Processes that the ended one had started may still write for a moment.
tries=0
while rm -rf -- "$1"; [ -e "$1" ] && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
"#;

/// A shell that outlives the test process by as long as it takes to clean up behind it.
#[derive(Debug)]
pub(super) struct Watchdog {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts a watchdog that owns `folder` and watches over no server yet.
    pub(super) fn over(folder: &Path) -> Self {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "idem-test-watchdog"])
            .arg(folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C in the terminal, or a runner that kills the group, must not end it first.
            .process_group(0)
            .spawn()
            .expect("a shell can be started");
        let pipe = shell.stdin.take();
        Self { shell, pipe }
    }

    /// Names the process to end, or 0 for none.
    pub(super) fn watch(&mut self, server: u32) {
        let pipe = self.pipe.as_mut().expect("BUG: closed by `drop` only");
        writeln!(pipe, "{server}").expect("the watchdog lives as long as this process");
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // Nothing is lost if it was killed from outside: the folder stays behind.
        let _ = self.shell.wait();
    }
}
