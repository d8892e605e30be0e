//! What the mistakes in `fail/body` were meant to be.
mod borrow_error;
mod borrow_error_in_a_method;
mod half_typed;
mod no_tail;
mod not_send;
mod question_mark_without_from;
mod type_error;
mod type_error_in_a_fn;
mod unused_variable;
mod wrong_return;
mod wrong_return_in_a_fn;
mod wrong_tail;
mod wrong_tail_in_a_fn;
