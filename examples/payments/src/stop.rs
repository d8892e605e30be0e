//! `Stop`: SIGTERM and Ctrl-C, heard from the first moment on.

use std::io;

use tokio::sync::watch;

/// Whether the process was asked to stop.
#[derive(Clone)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Starts to listen.
    pub(crate) fn listen() -> io::Result<Self> {
        let signal = signals()?;
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            signal.await;
            stop.send_replace(true);
        });
        Ok(Stop(stopped))
    }

    /// Waits until the process is asked to stop.
    pub(crate) async fn asked(&self) {
        // An error means that nobody listens any more, which is an end too.
        let _ = self.0.clone().wait_for(|stopped| *stopped).await;
    }
}

#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
