//! Memory after many finished keys: a server must not grow with every key it has seen.
//!
//! The memo cache (8 MiB by default) fills with the first tens of thousands of keys; from then on
//! nothing should grow. On SQLite without durable commits, which is the quickest.

use idem_test_support::sqlite::Database;
use sqlx::sqlite::{SqlitePoolOptions, SqliteSynchronous};

use crate::measure::{count, perform};
use crate::on_sqlite::variants;
use crate::options::Options;
use crate::report::Table;
use crate::subject::Variant;

pub(crate) async fn run(options: &Options) {
    if !options.wants("memory") {
        return;
    }
    let database = Database::new();
    let pool = SqlitePoolOptions::new()
        .max_connections(4)
        .connect_with(database.options().synchronous(SqliteSynchronous::Off))
        .await
        .expect("the SQLite file can be opened");
    let subject = variants::subject(Variant::Attribute, pool, Box::new(database)).await;
    let mut table = Table::new(
        "Memory of the whole process after distinct finished keys (c, default cache of 8 MiB)",
        [
            "finished keys",
            "resident, MiB",
            "of that after 10,000 keys",
        ],
    );
    let mut finished = 0;
    let mut first = None;
    for mark in [10_000, 25_000, 50_000, 75_000, 100_000] {
        if mark > options.keys {
            break;
        }
        perform(&subject, 4, mark - finished).await;
        finished = mark;
        let resident = resident_mib();
        let first = *first.get_or_insert(resident);
        table.row([
            mark.to_string(),
            format!("{resident:.1}"),
            format!("{:.2}", resident / first),
        ]);
    }
    table.print();
}

/// The second number of `statm` counts resident pages, here of 4 KiB.
/// <https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html>
fn resident_mib() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc can be read");
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    count(pages.expect("statm has numbers")) / 256.0
}
