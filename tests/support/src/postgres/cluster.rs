//! One data folder and the server process over it.

use std::fs::{self, File};
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::installation::Installation;
use super::watchdog::Watchdog;
use crate::patience::PATIENCE;

/// The superuser of every cluster.
pub(super) const USER: &str = "idem";

/// The pause between looks at something that sends no signal: another process's state.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Ports are tried from here up, below the range that Linux gives to outgoing connections
/// (`net.ipv4.ip_local_port_range`), so that no client can take the port during a restart.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// A PostgreSQL data folder and, while it runs, its server.
#[derive(Debug)]
pub(super) struct Cluster {
    installation: Installation,
    folder: PathBuf,
    address: SocketAddr,
    password: String,
    settings: Vec<(String, String)>,
    process: Option<Child>,
    watchdog: Watchdog,
}

impl Cluster {
    /// Makes a data folder and starts its server with `settings` on top of ours. Blocks for about a
    /// second.
    pub(super) fn start(settings: Vec<(String, String)>) -> Self {
        let installation = Installation::find();
        let folder = tempfile::Builder::new()
            .prefix("idem-postgres-")
            .tempdir()
            .expect("a temporary folder can be made")
            .keep();
        let mut watchdog = Watchdog::over(&folder);
        installation.hand_over(&folder);

        let password = random_password();
        initialize(&installation, &folder, &password, &mut watchdog);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut cluster = Self {
            installation,
            folder,
            address,
            password,
            settings,
            process: None,
            watchdog,
        };
        cluster.start_on_free_port();
        cluster
    }

    /// Says where the server listens, also while it does not run.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Gives the password of [`USER`].
    pub(super) fn password(&self) -> &str {
        &self.password
    }

    /// Names the file that holds the log of all the server's runs.
    pub(super) fn log_path(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// Starts the server again after it was ended, on the same port.
    pub(super) fn start_again(&mut self) {
        assert!(self.process.is_none(), "the server still runs");
        if let Err(problem) = self.try_start() {
            panic!("{problem}");
        }
    }

    /// Ends the server as `pg_ctl stop -m fast` does: running transactions are rolled back.
    pub(super) fn stop(&mut self) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        send(process.id(), Signal::SIGINT);
        process.wait().expect("a child can be waited for");
        self.watchdog.watch(0);
    }

    /// Ends the server and all its backends as a power cut would, and returns when all are gone.
    pub(super) fn kill9(&mut self) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        // Stopped first, so that it starts no backend that we would miss.
        send(process.id(), Signal::SIGSTOP);
        let backends = children_of(process.id());
        send(process.id(), Signal::SIGKILL);
        for &backend in &backends {
            send(backend, Signal::SIGKILL);
        }
        process.wait().expect("a child can be waited for");
        self.watchdog.watch(0);
        let deadline = Instant::now() + PATIENCE;
        while backends.iter().any(|&backend| is_alive(backend)) {
            assert!(Instant::now() < deadline, "backends survive kill -9");
            sleep(LOOK_AGAIN);
        }
    }

    /// Kills a process of this server with signal 9.
    pub(super) fn kill9_backend(&self, backend: u32) {
        let server = self.process.as_ref().expect("the server runs");
        assert!(
            children_of(server.id()).contains(&backend),
            "process {backend} is no backend of this server"
        );
        send(backend, Signal::SIGKILL);
    }

    fn start_on_free_port(&mut self) {
        let mut problem = String::new();
        for _ in 0..5 {
            self.address.set_port(free_port());
            match self.try_start() {
                Ok(()) => return,
                // Another process may have taken the port since we looked.
                Err(text) if text.contains("Address already in use") => problem = text,
                Err(text) => panic!("{text}"),
            }
        }
        panic!("{problem}");
    }

    fn try_start(&mut self) -> Result<(), String> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log_path())
            .expect("the log can be opened");
        let errors = log.try_clone().expect("a file handle can be cloned");
        let logged_before = log.metadata().expect("the log has a length").len();

        let mut command = self.installation.command("postgres", &self.folder);
        command.arg("-D").arg(self.data());
        let folder = self.folder.display().to_string();
        let port = self.address.port().to_string();
        let ours = [
            ("listen_addresses", "127.0.0.1"),
            ("port", &port),
            ("unix_socket_directories", &folder),
            ("max_connections", "200"),
            ("fsync", "on"),
            ("log_line_prefix", "%m [%p] %d "),
        ];
        let theirs = self
            .settings
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in ours.into_iter().chain(theirs) {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        let mut process = command.spawn().expect("`postgres` can be started");
        self.watchdog.watch(process.id());

        let deadline = Instant::now() + PATIENCE;
        loop {
            if self.is_ready(process.id()) {
                self.process = Some(process);
                return Ok(());
            }
            let ended = process.try_wait().expect("a child can be waited for");
            if ended.is_some() || Instant::now() > deadline {
                let _ = process.kill();
                let _ = process.wait();
                self.watchdog.watch(0);
                let log = fs::read(self.log_path()).unwrap_or_default();
                let fresh = log
                    .get(usize::try_from(logged_before).unwrap_or(0)..)
                    .unwrap_or(&[]);
                return Err(format!(
                    "PostgreSQL did not start:\n{}",
                    String::from_utf8_lossy(fresh)
                ));
            }
            sleep(LOOK_AGAIN);
        }
    }

    /// Reads `postmaster.pid`: its first line is the process, its eighth the status.
    /// <https://github.com/postgres/postgres/blob/master/src/include/utils/pidfile.h>
    fn is_ready(&self, server: u32) -> bool {
        let Ok(text) = fs::read_to_string(self.data().join("postmaster.pid")) else {
            return false;
        };
        let mut lines = text.lines();
        lines.next() == Some(&server.to_string())
            && lines.nth(6).is_some_and(|status| status.trim() == "ready")
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // An immediate shutdown ends the backends too, and nobody needs the data any more.
            send(process.id(), Signal::SIGQUIT);
            let _ = process.wait();
            self.watchdog.watch(0);
        }
    }
}

fn initialize(installation: &Installation, folder: &Path, password: &str, watchdog: &mut Watchdog) {
    let password_file = folder.join("password");
    fs::write(&password_file, password).expect("a file can be written to the temporary folder");
    installation.hand_over(&password_file);
    let process = installation
        .command("initdb", folder)
        .arg("-D")
        .arg(folder.join("data"))
        .arg("--pwfile")
        .arg(&password_file)
        // Clear text never leaves the machine; a hash would cost each connection its time.
        .args(["--auth=password", "--username", USER])
        .args(["--encoding=UTF8", "--locale=C", "--no-sync"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`initdb` can be started");
    watchdog.watch(process.id());
    let output = process
        .wait_with_output()
        .expect("a child can be waited for");
    watchdog.watch(0);
    assert!(
        output.status.success(),
        "initdb failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Keeps other users of the machine out: a superuser may run programs as the server's owner.
fn random_password() -> String {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .expect("random bytes can be read");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn free_port() -> u16 {
    for _ in 0..1_000 {
        let port = fastrand::u16(PORTS);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
    panic!("no port between {} and {} is free", PORTS.start, PORTS.end);
}

fn send(process: u32, signal: Signal) {
    match kill(pid(process), signal) {
        // Gone already, which is what signals are sent for here.
        Ok(()) | Err(Errno::ESRCH) => {}
        Err(error) => panic!("process {process} cannot be sent {signal}: {error}"),
    }
}

fn pid(process: u32) -> Pid {
    Pid::from_raw(i32::try_from(process).expect("BUG: process ids are positive `i32`s"))
}

/// A process that only waits for its parent to notice its end is not alive.
fn is_alive(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| state != "Z" && state != "X")
}

fn children_of(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("/proc can be read").flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&process| stat(process).is_some_and(|(_, its_parent)| its_parent == parent))
        .collect()
}

/// Reads a process's state and parent, which follow its name in parentheses.
/// <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
fn stat(process: u32) -> Option<(String, u32)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = text.rsplit_once(") ")?;
    let mut fields = after_name.split(' ');
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}
