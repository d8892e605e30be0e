//! What the mistakes in `fail/context` were meant to be.
mod missing;
mod of_no_database;
mod shared_reference;
mod sqlx_connection;
mod sqlx_transaction;
mod sqlx_transaction_in_a_fn;
mod two;
mod two_in_a_fn;
