//! The demo: orders come in twice, a worker is killed, jobs are delivered three times.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use idem_core::Idem;
use sqlx::SqlitePool;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use crate::orders::{NewOrder, router};
use crate::store;
use crate::worker::HALF_WAY;

const CUSTOMERS: [&str; 5] = ["Ada", "Bela", "Chen", "Dara", "Emil"];

/// How often each job is delivered at least.
const DELIVERIES: u32 = 3;

pub(crate) async fn run() -> Result<(), crate::Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("invoices.sqlite");
    let pool = store::open(&file).await?;
    store::set_up(&pool).await?;
    let idem = Idem::new(pool.clone())?;
    idem.setup().await?;

    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let api = listener.local_addr()?;
    let server = tokio::spawn(axum::serve(listener, router(idem)).into_future());
    for customer in CUSTOMERS {
        // A client whose first answer was lost sends its request again.
        for _ in 0..2 {
            order(api, customer).await?;
        }
    }

    let killed = half_sent(&file).await?;
    println!("worker {killed} was killed with an invoice half sent");
    let mut worker = spawn("worker", &file)?;
    for delivery in 1..=DELIVERIES {
        if delivery > 1 {
            deliver_again(&pool).await?;
        }
        all_done(&pool).await?;
    }
    worker.kill().await?;

    println!("invoice  deliveries  mails");
    for sent in store::report(&pool).await? {
        let store::Sent {
            customer,
            deliveries,
            mails,
        } = sent;
        println!("{customer:<7}  {deliveries:>10}  {mails:>5}");
    }
    server.abort();
    Ok(())
}

async fn order(api: SocketAddr, customer: &str) -> Result<(), crate::Failure> {
    let new = NewOrder {
        customer: customer.to_owned(),
        amount: 1_250,
    };
    reqwest::Client::new()
        .post(format!("http://{api}/orders"))
        .header("idempotency-key", format!("order-of-{customer}"))
        .json(&new)
        .send()
        .await?
        .error_for_status()?;
    Ok(())
}

/// Starts a worker and kills it (SIGKILL) in the middle of a job; its process id.
async fn half_sent(file: &Path) -> Result<u32, crate::Failure> {
    let mut worker = spawn("doomed-worker", file)?;
    let id = worker.id().ok_or("the worker ended by itself")?;
    let output = worker.stdout.take().ok_or("the worker has no output")?;
    let mut lines = BufReader::new(output).lines();
    while let Some(line) = lines.next_line().await? {
        if line == HALF_WAY {
            worker.kill().await?;
            return Ok(id);
        }
    }
    Err("the worker ended by itself".into())
}

fn spawn(role: &str, file: &Path) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .arg(role)
        .arg(file)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

/// Has every job run once more, as a queue does whose acknowledgement was lost.
async fn deliver_again(pool: &SqlitePool) -> sqlx::Result<()> {
    sqlx::query("UPDATE Jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL")
        .execute(pool)
        .await
        .map(drop)
}

async fn all_done(pool: &SqlitePool) -> sqlx::Result<()> {
    let left = "SELECT count(*) FROM Jobs WHERE status <> 'Done'";
    while sqlx::query_scalar::<_, i64>(left).fetch_one(pool).await? > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}
