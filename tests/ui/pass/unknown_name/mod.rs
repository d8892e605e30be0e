//! What the mistakes in `fail/unknown_name` were meant to be.

mod far_from_all;
mod in_format_string;
mod near_miss;
