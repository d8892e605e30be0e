//! Everything that was logged, at every level.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// What was logged so far: events and spans of all crates with all their fields, from `TRACE` up.
///
/// Text fields are written as tracing's formatter writes them, so look for a secret that needs no
/// escaping.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    written: Arc<Mutex<Vec<u8>>>,
}

impl Logs {
    /// Captures what this process logs, on all threads, from the first call on.
    ///
    /// The logs are shared by all tests of the process: look for values that only yours uses.
    ///
    /// # Panics
    ///
    /// When the process has another global subscriber.
    pub fn of_process() -> &'static Self {
        static LOGS: OnceLock<Logs> = OnceLock::new();
        LOGS.get_or_init(|| {
            let logs = Self::default();
            logs.subscriber()
                .try_init()
                .expect("no other global subscriber is set in a process that captures logs");
            logs
        })
    }

    /// Captures what this thread logs until the guard is dropped. For tests on a current-thread
    /// runtime whose work spawns no threads.
    #[must_use]
    pub fn of_thread() -> (Self, tracing::subscriber::DefaultGuard) {
        let logs = Self::default();
        let guard = logs.subscriber().set_default();
        (logs, guard)
    }

    /// Gives all that was written so far, a line per event, span start and span end.
    #[must_use]
    pub fn text(&self) -> String {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&written).into_owned()
    }

    /// Gives the lines that contain `needle`.
    #[must_use]
    pub fn lines_with(&self, needle: &str) -> Vec<String> {
        self.text()
            .lines()
            .filter(|line| line.contains(needle))
            .map(str::to_owned)
            .collect()
    }

    /// Asserts that none of `secrets` was logged.
    ///
    /// # Panics
    ///
    /// When one was, showing the lines.
    #[track_caller]
    pub fn assert_free_of(&self, secrets: &[&str]) {
        for secret in secrets {
            let lines = self.lines_with(secret);
            assert!(
                lines.is_empty(),
                "`{secret}` was logged:\n{}",
                lines.join("\n")
            );
        }
    }

    fn subscriber(&self) -> impl tracing::Subscriber + Send + Sync + use<> {
        let layer = fmt::layer()
            .with_ansi(false)
            .with_span_events(FmtSpan::NEW | FmtSpan::CLOSE)
            .with_writer(self.clone())
            .with_filter(LevelFilter::TRACE);
        Registry::default().with(layer)
    }
}

impl<'a> MakeWriter<'a> for Logs {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl io::Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
