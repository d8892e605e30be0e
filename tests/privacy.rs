//! Nothing logs keys, bodies or answers, at any level.

#![allow(clippy::duplicate_mod, reason = "the same cases run once per store")]

mod stage;

#[path = "."]
mod on_sqlite {
    use super::stage;
    #[path = "stage/app.rs"]
    mod app;
    #[path = "cases/privacy.rs"]
    mod cases;
    #[path = "stage/sqlite.rs"]
    mod store;
}

#[path = "."]
mod on_postgres {
    use super::stage;
    #[path = "stage/app.rs"]
    mod app;
    #[path = "cases/privacy.rs"]
    mod cases;
    #[path = "stage/postgres.rs"]
    mod store;
}
