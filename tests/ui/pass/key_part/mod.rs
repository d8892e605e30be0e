//! What the mistakes in `fail/key_part` were meant to be.
mod date_time;
mod float;
mod float_in_a_fn;
mod instant;
mod moved;
mod moved_out_of_self;
mod r#struct;
