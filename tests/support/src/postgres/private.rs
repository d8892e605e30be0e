//! A server that one test may kill and restart.

use std::fs;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use super::cluster::Cluster;
use super::server::Server;
use crate::patience::soon;

/// A PostgreSQL server of one test, ended when dropped.
///
/// Address, password and data stay the same over restarts, so that pools reconnect by themselves.
#[derive(Debug)]
pub struct PrivateServer {
    server: Server,
    cluster: Arc<Mutex<Cluster>>,
}

impl PrivateServer {
    pub(super) async fn start(settings: &[(&str, &str)]) -> Self {
        let settings: Vec<(String, String)> = settings
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let cluster = tokio::task::spawn_blocking(|| Cluster::start(settings))
            .await
            .expect("PostgreSQL starts");
        Self {
            server: Server::of(&cluster),
            cluster: Arc::new(Mutex::new(cluster)),
        }
    }

    /// Kills the server and all its backends as a power cut would; committed data is on disk.
    ///
    /// Does nothing when it does not run.
    pub async fn kill9(&self) {
        self.run(Cluster::kill9).await;
    }

    /// Stops the server in good order: running transactions are rolled back, sessions ended.
    ///
    /// Does nothing when it does not run.
    pub async fn stop(&self) {
        self.run(Cluster::stop).await;
    }

    /// Starts the server, after stopping it in good order if it runs; returns when it takes
    /// connections.
    ///
    /// # Panics
    ///
    /// When it does not start, showing what it logged.
    pub async fn restart(&self) {
        self.run(|cluster| {
            cluster.stop();
            cluster.start_again();
        })
        .await;
    }

    /// Kills one backend with signal 9, as the kernel does when memory runs out.
    ///
    /// PostgreSQL then ends all other sessions as well and recovers; returns when it takes
    /// connections again.
    ///
    /// # Panics
    ///
    /// When `backend` is no process of this server, or the server does not recover.
    pub async fn kill9_backend(&self, backend: i32) {
        let backend = u32::try_from(backend).expect("process ids are positive");
        let path = self
            .log_path()
            .expect("BUG: a private server has a log")
            .to_owned();
        let logged_before = fs::metadata(&path).expect("the log can be read").len();
        self.run(move |cluster| cluster.kill9_backend(backend))
            .await;
        let recovered = async {
            while !has_recovered(
                &fs::read(&path).expect("the log can be read"),
                logged_before,
            ) {
                // Nothing signals a change of another process's file.
                sleep(Duration::from_millis(5)).await;
            }
        };
        soon("PostgreSQL to recover", recovered).await;
    }

    async fn run(&self, action: impl FnOnce(&mut Cluster) + Send + 'static) {
        let cluster = Arc::clone(&self.cluster);
        tokio::task::spawn_blocking(move || {
            action(&mut cluster.lock().unwrap_or_else(PoisonError::into_inner));
        })
        .await
        .expect("PostgreSQL does as told");
    }
}

impl Deref for PrivateServer {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

fn has_recovered(log: &[u8], logged_before: u64) -> bool {
    let before = usize::try_from(logged_before).expect("BUG: a log in memory has a `usize` length");
    String::from_utf8_lossy(&log[before..]).contains("ready to accept connections")
}
