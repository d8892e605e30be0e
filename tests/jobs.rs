//! Jobs: enqueued in an operation's transaction, and run once by apalis' own workers. On every
//! store that apalis has a backend for.

#![allow(clippy::duplicate_mod, reason = "the same cases run once per store")]

mod stage;

#[path = "."]
mod on_sqlite {
    use super::stage;
    #[path = "jobs/cases/mod.rs"]
    mod cases;
    #[path = "jobs/sqlite.rs"]
    mod queue;
    #[path = "jobs/shop.rs"]
    mod shop;
    #[path = "stage/sqlite.rs"]
    mod store;
    #[path = "jobs/work.rs"]
    mod work;
}

#[path = "."]
mod on_postgres {
    use super::stage;
    #[path = "jobs/cases/mod.rs"]
    mod cases;
    #[path = "jobs/only_postgres.rs"]
    mod only_postgres;
    #[path = "jobs/postgres.rs"]
    mod queue;
    #[path = "jobs/shop.rs"]
    mod shop;
    #[path = "stage/postgres.rs"]
    mod store;
    #[path = "jobs/work.rs"]
    mod work;
}
