//! Jobs and their workers: what the ui tests of the apalis form share. Apart from the shop, since
//! rustc spells names out that a crate in use has too.
#![allow(dead_code, unused_imports)]

pub use apalis::prelude::{Attempt, BoxDynError, Data, Task, TaskId, WorkerContext};
use apalis_core::task::task_fn::TaskFn;
use serde::{Deserialize, Serialize};

/// An apalis job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invoice {
    pub number: u64,
    pub to: String,
}

/// What a worker has beside its jobs.
#[derive(Clone, Debug)]
pub struct Mailer;

/// Checks that an apalis worker takes the job.
pub fn works<Args, F, Extracted>(_: F)
where
    TaskFn<F, Args, Extracted>: tower::Service<Task<Args>>,
{
}
