//! What the mistakes in `fail/body` were meant to be.

mod borrow_error;
mod half_typed;
mod no_tail;
mod not_send;
mod type_error;
mod unused_variable;
mod wrong_return;
mod wrong_tail;
