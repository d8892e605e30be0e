//! What breaks between the engine and PostgreSQL: killed backends and servers, lost replies, failed
//! statements. A retry with the same key ends with one row and the right answer, at once.

mod stage;

#[path = "."]
mod on_postgres {
    use super::stage;
    #[path = "stage/app.rs"]
    mod app;
    #[path = "cases/crashes.rs"]
    mod cases;
    #[path = "stage/postgres.rs"]
    mod store;
}
