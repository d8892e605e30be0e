//! What the mistakes in `fail/answer` were meant to be.
mod anyhow_like;
mod borrowed_value;
mod final_error_not_serialize;
mod impl_trait;
mod job_without_result;
mod never_returns;
mod no_engine_errors;
mod no_result;
mod not_a_response;
mod nothing_like_it;
mod returns_nothing;
mod tuple;
mod value_not_serialize;
mod value_of_a_job;
