//! A PostgreSQL server of the test's own.
//!
//! [`server`] is shared by the tests of one process and started on first use; [`Server::private`]
//! belongs to one test, which may kill and restart it. Both live in a temporary folder, listen on a
//! free port of 127.0.0.1 and end with the test process, however that ends. Each test works in its
//! own [`TestDatabase`].

mod cluster;
mod database;
mod installation;
mod private;
mod server;
mod watchdog;

pub use self::database::TestDatabase;
pub use self::private::PrivateServer;
pub use self::server::{Server, server};
