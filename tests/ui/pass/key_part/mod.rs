//! What the mistakes in `fail/key_part` were meant to be.

mod date_time;
mod float;
mod instant;
mod moved;
mod r#struct;
