//! What the mistakes in `fail/evaluable` were meant to be.

mod assignment;
mod awaited;
mod looped;
mod question_mark;
mod returned;
