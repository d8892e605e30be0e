//! What the mistakes in `fail/signature` were meant to be.
mod borrowed_answer;
mod boxed_future;
mod const_fn;
mod extern_fn;
mod in_a_trait;
mod never;
mod not_async;
mod on_a_closure;
mod on_a_struct;
mod receiver;
mod receiver_of_a_job;
mod sync_fn;
mod unsafe_fn;
mod without_body;
