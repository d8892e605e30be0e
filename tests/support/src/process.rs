//! A program as a child that can be killed.

use std::process::{Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::watch;

pub use crate::build::build;
use crate::patience::soon;

/// A running program whose output is captured; killed with signal 9 when dropped.
#[derive(Debug)]
pub struct Child {
    child: tokio::process::Child,
    id: u32,
    output: watch::Receiver<Vec<String>>,
}

impl Child {
    /// Starts `command` without standard input, capturing both its outputs.
    ///
    /// # Panics
    ///
    /// When the program cannot be started.
    #[must_use]
    pub fn start(command: Command) -> Self {
        let program = command.get_program().to_owned();
        let mut child = tokio::process::Command::from(command)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{} cannot be started: {error}", program.display()));
        let id = child
            .id()
            .expect("BUG: a child that nobody waited for has its id");
        let stdout = child.stdout.take().expect("BUG: piped above");
        let stderr = child.stderr.take().expect("BUG: piped above");
        let (lines, output) = watch::channel(Vec::new());
        tokio::spawn(async move { tokio::join!(read(stdout, &lines), read(stderr, &lines)) });
        Self { child, id, output }
    }

    /// Gives the process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Gives all lines so far, of both outputs in the order in which they were read.
    #[must_use]
    pub fn output(&self) -> String {
        self.output.borrow().join("\n")
    }

    /// Waits for a line that contains `needle`, past ones included, and gives the first.
    ///
    /// # Panics
    ///
    /// When the program ends without one, showing its output, or
    /// [`PATIENCE`](crate::patience::PATIENCE) does.
    pub async fn line_with(&mut self, needle: &str) -> String {
        let has_it = |lines: &Vec<String>| lines.iter().any(|line| line.contains(needle));
        // An error means that both outputs are at their end.
        let ended = soon(
            &format!("a line with `{needle}`"),
            self.output.wait_for(has_it),
        )
        .await
        .is_err();
        let lines = self.output.borrow();
        match lines.iter().find(|line| line.contains(needle)) {
            Some(line) => line.clone(),
            None => panic!("no `{needle}` (ended: {ended}) in:\n{}", lines.join("\n")),
        }
    }

    /// Kills the program with signal 9 and waits for its end.
    ///
    /// # Panics
    ///
    /// When it cannot be killed.
    pub async fn kill9(&mut self) {
        self.child.kill().await.expect("a child can be killed");
    }

    /// Sends a signal, such as `SIGTERM`.
    ///
    /// # Panics
    ///
    /// When the program has ended and was waited for.
    pub fn signal(&self, signal: Signal) {
        let id = self.child.id().expect("the program still runs");
        let id = i32::try_from(id).expect("BUG: process ids are positive `i32`s");
        kill(Pid::from_raw(id), signal).expect("a child can be sent signals");
    }

    /// Waits for the program's end and for the last of its output.
    ///
    /// # Panics
    ///
    /// When that takes longer than [`PATIENCE`](crate::patience::PATIENCE).
    pub async fn ended(&mut self) -> ExitStatus {
        let end = async {
            let status = self.child.wait().await.expect("a child can be waited for");
            while self.output.changed().await.is_ok() {}
            status
        };
        soon("the program to end", end).await
    }
}

async fn read(stream: impl AsyncRead + Unpin, to: &watch::Sender<Vec<String>>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream
        .read_until(b'\n', &mut line)
        .await
        .is_ok_and(|length| length > 0)
    {
        let text = String::from_utf8_lossy(&line)
            .trim_end_matches(['\r', '\n'])
            .to_owned();
        to.send_modify(|lines| lines.push(text));
        line.clear();
    }
}
