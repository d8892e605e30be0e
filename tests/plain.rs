//! Plain operations: any async fn or method. On every store.

#![allow(clippy::duplicate_mod, reason = "the same cases run once per store")]

#[path = "."]
mod on_sqlite {
    #[path = "cases/plain.rs"]
    mod cases;
    // Here only: a method states its scope, and a binary has each scope once.
    #[path = "cases/methods.rs"]
    mod methods;
    #[path = "stage/plain.rs"]
    mod plain;
    #[path = "stage/sqlite.rs"]
    mod store;
}

#[path = "."]
mod on_postgres {
    #[path = "cases/plain.rs"]
    mod cases;
    #[path = "stage/plain.rs"]
    mod plain;
    #[path = "stage/postgres.rs"]
    mod store;
}
