//! How a job finds the engine, and whether it may run at all.

use apalis_core::error::AbortError;
use apalis_core::task::Task;
use apalis_core::task::from_request::FromRequest;

use crate::idem::Idem;
use crate::store::Database;

/// An argument of a job: the engine that the worker was given with `.data(idem)`.
///
/// # Errors
/// An `AbortError`, which ends the job as `Killed` without running it, when the worker has no such
/// engine, and when the job has been begun more often than its `max_attempts` allow: apalis itself
/// runs a job that kills its process again without end.
impl<Args: Sync, Db: Database> FromRequest<Task<Args>> for Idem<Db> {
    type Error = AbortError;

    async fn from_request(task: &Task<Args>) -> Result<Self, AbortError> {
        let idem = task.data().get::<Idem<Db>>().ok_or_else(|| {
            let engine = std::any::type_name::<Idem<Db>>();
            AbortError::new(format!(
                "this job needs its engine: give the worker an `{engine}` with `.data(idem)`"
            ))
        })?;
        if let Some(most) = task.max_attempts() {
            // Zero attempts are one: that is what apalis makes of them.
            let most = most.max(1);
            if task.attempt() > most {
                return Err(AbortError::new(format!(
                    "parked after {most} attempts, the most this job may have; set its status to \
                     `Pending` and its attempts to 0 to have it run again"
                )));
            }
        }
        Ok(idem.clone())
    }
}
