//! `EnqueueError`: why a job was not added.

/// Why [`enqueue`](super::enqueue) added no job. The job is not there, whichever it is.
///
/// Pass it on with `?`, so that the operation is rolled back: on PostgreSQL a failed statement has
/// aborted its transaction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnqueueError {
    /// The job does not serialize, or what it serializes to does not deserialize again: a worker
    /// that fetched it would die of it. No statement was sent, and the transaction is as before.
    #[error("this job cannot be enqueued, since a worker could not read it again")]
    Job(#[source] serde_json::Error),

    /// apalis' table is missing, older than 1.0, or not this role's to write. It must be in the
    /// database of the operation; PostgreSQL needs USAGE on the schema `apalis`, and SELECT and
    /// INSERT on `apalis.jobs`.
    #[error(
        "apalis' job table is missing here, too old, or not this role's to write; it must be in \
         the database that keeps the operation's record"
    )]
    NotReady(#[source] sqlx::Error),

    /// The database refused for another reason, or could not be reached.
    #[error("the job could not be written")]
    Database(#[source] sqlx::Error),
}
