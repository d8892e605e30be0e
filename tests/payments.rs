//! The payments example as a black box: a real process on a real socket, on both databases.

#[path = "payments/clocks.rs"]
mod clocks;
#[path = "payments/commits.rs"]
mod commits;
#[path = "payments/contract.rs"]
mod contract;
#[path = "payments/crashes.rs"]
mod crashes;
#[path = "payments/database.rs"]
mod database;
#[path = "payments/races.rs"]
mod races;
#[path = "payments/refunds.rs"]
mod refunds;
#[path = "payments/server.rs"]
mod server;
#[path = "payments/startup.rs"]
mod startup;

/// Makes a test for each database out of functions that take one.
macro_rules! on_both_databases {
    ($($test:ident)*) => {
        mod on_sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::database::Database::sqlite()).await;
            })*
        }

        mod on_postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::database::Database::postgres().await).await;
            })*
        }
    };
}
use on_both_databases;
