//! Setting up, checking, and databases that are not as they should be. On every store.

#![allow(clippy::duplicate_mod, reason = "the same cases run once per store")]

mod stage;

#[path = "."]
mod on_sqlite {
    use super::stage;
    #[path = "stage/app.rs"]
    mod app;
    #[path = "cases/setup.rs"]
    mod cases;
    #[path = "stage/sqlite.rs"]
    mod store;
}

#[path = "."]
mod on_postgres {
    use super::stage;
    #[path = "stage/app.rs"]
    mod app;
    #[path = "cases/setup.rs"]
    mod cases;
    #[path = "stage/postgres.rs"]
    mod store;
}
