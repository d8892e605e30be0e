//! Correct code, free of warnings: the twin of each mistake in `fail`, under the same name, and odd
//! but valid shapes under the name of the form.

mod ambient;
mod answer;
mod apalis;
mod arguments;
mod axum;
mod body;
mod combination;
mod constant;
mod context;
mod derive;
mod downstream;
mod durations;
mod endless;
mod evaluable;
mod fresh;
mod job;
mod key_part;
mod kinds;
mod optional;
mod plain;
mod pool;
mod scope;
mod several_at_once;
mod signature;
mod spawn;
mod unknown_name;
