//! Joins: an operation inside the transaction of another one, or of the caller's own. On every
//! store.

#![allow(clippy::duplicate_mod, reason = "the same cases run once per store")]

#[path = "."]
mod on_sqlite {
    #[path = "cases/joins.rs"]
    mod cases;
    #[path = "stage/plain.rs"]
    mod plain;
    #[path = "stage/sqlite.rs"]
    mod store;
}

#[path = "."]
mod on_postgres {
    #[path = "cases/joins.rs"]
    mod cases;
    #[path = "cases/joins_postgres.rs"]
    mod isolation;
    #[path = "stage/plain.rs"]
    mod plain;
    #[path = "stage/postgres.rs"]
    mod store;
}
