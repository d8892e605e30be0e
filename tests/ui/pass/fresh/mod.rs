//! What the mistakes in `fail/fresh` were meant to be.
mod clock;
mod constant_helper;
mod counter;
mod in_fingerprint;
mod nanoid;
mod random;
mod uuid;
mod uuid_as_method_argument;
mod uuid_as_value;
mod uuid_in_a_fn;
mod uuid_in_block;
mod uuid_in_closure;
mod uuid_in_format;
mod uuid_in_tuple;
mod uuid_without_header;
