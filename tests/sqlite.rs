//! What only SQLite has: one writer, files without a server, databases in memory.

mod stage;

#[path = "."]
mod on_sqlite {
    use super::stage;
    #[path = "stage/app.rs"]
    mod app;
    #[path = "cases/sqlite.rs"]
    mod cases;
    #[path = "stage/sqlite.rs"]
    mod store;
}
