//! Which pools can keep the promise.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqlitePool};

use crate::error::{Error, Result};

/// Refuses a pool whose connections would not share one database with its write lock.
pub(super) fn check_pool(pool: &SqlitePool) -> Result<()> {
    if pool.options().get_max_connections() > 1 {
        let options = pool.connect_options();
        if is_in_memory(&options) {
            return Err(Error::not_ready(
                "an in-memory SQLite database needs a pool of exactly one connection: \
                     `SqlitePoolOptions::new().max_connections(1)`; other connections would see \
                     another database, or share a cache without its write lock",
            ));
        }
        if says(&options, "cache", "shared") {
            return Err(Error::not_ready(
                "SQLite's shared cache lets connections read uncommitted work; connect without \
                     `cache=shared`",
            ));
        }
    }
    Ok(())
}

/// <https://www.sqlite.org/inmemorydb.html>; an empty name is a temporary database.
pub(super) fn is_in_memory(options: &SqliteConnectOptions) -> bool {
    let name = options.get_filename().to_string_lossy();
    says(options, "mode", "memory") || name.is_empty() || name.contains(":memory:")
}

/// Whether the options, or a `file:` URI given as the file's name, set a parameter to this value.
fn says(options: &SqliteConnectOptions, parameter: &str, value: &str) -> bool {
    // Only in the URL does sqlx show these options, and only a plain name makes a valid one.
    let url = options.clone().filename("any").to_url_lossy();
    url.query_pairs()
        .any(|(name, found)| name == parameter && found == value)
        || options
            .get_filename()
            .to_string_lossy()
            .contains(&format!("{parameter}={value}"))
}
