//! What the mistakes in `fail/kinds` were meant to be.
mod foreign_shared;
mod no_caller_body;
mod no_caller_body_id;
mod no_caller_header;
mod no_caller_in_generic_fn;
mod no_caller_path;
mod no_caller_though_there_is_one;
mod no_kind;
mod no_value;
mod no_value_of_a_type_parameter;
mod not_serialize;
mod optional_caller;
mod optional_caller_of_a_fn;
