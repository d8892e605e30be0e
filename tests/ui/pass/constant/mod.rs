//! What the mistakes in `fail/constant` were meant to be.
mod const_item;
mod fingerprint;
mod in_a_method;
mod only_a_transaction;
mod text;
mod tuple;
