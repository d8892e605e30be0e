//! What the mistakes in `fail/answer` were meant to be.

mod anyhow_like;
mod not_a_response;
mod nothing_like_it;
