//! The end of a job: what its body and the engine came to, in the errors apalis acts on.

use std::panic::AssertUnwindSafe;

use apalis_core::error::{AbortError, BoxDynError};
use futures_util::FutureExt as _;

use crate::door::{Door, Failure};
use crate::error::RETRY_AFTER;
use crate::private::answers::Codecs;
use crate::store::Database;
use crate::tx::Tx;

impl<Db: Database> Door<'_, Db> {
    /// Runs `body` unless its answer exists already; its errors as apalis' workers take them.
    ///
    /// A panic is an error, too: apalis' own handling leaves the row `Running`.
    ///
    /// # Errors
    /// The body's own and the engine's; an `AbortError` where running the job again would change
    /// nothing.
    // Not `async`, so that the job's own future holds a pointer instead of the body.
    pub fn job<T, E, F>(
        self,
        codecs: Codecs<T, E>,
        job_errors: fn(E) -> BoxDynError,
        body: F,
    ) -> impl Future<Output = Result<T, BoxDynError>>
    where
        F: Future<Output = (Tx<Db>, Result<T, E>)>,
    {
        let run = AssertUnwindSafe(self.run(codecs, body)).catch_unwind();
        async move {
            let failure = match run.await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(failure)) => failure,
                Err(panic) => return Err(panicked(&*panic)),
            };
            if matches!(&failure, Failure::Engine(error) if !error.is_lasting()) {
                // apalis runs it again at once: without a pause all its attempts would be gone in
                // no time, while the engine drains or the database recovers.
                tokio::time::sleep(RETRY_AFTER).await;
            }
            Err(job_error(failure, job_errors))
        }
    }
}

/// A failure as the error that makes apalis run the job again, or never again.
fn job_error<E>(failure: Failure<E>, job_errors: fn(E) -> BoxDynError) -> BoxDynError {
    match failure {
        Failure::Body(error) => job_errors(error),
        Failure::Final(error) => abort(job_errors(error)),
        Failure::Engine(error) if error.is_lasting() => abort(error.into()),
        // Not a `RetryAfterError`: that strands a job on SQLite, and costs no attempt on PostgreSQL.
        Failure::Engine(error) => error.into(),
    }
}

/// apalis looks at the outermost error only.
fn abort(error: BoxDynError) -> BoxDynError {
    if error.is::<AbortError>() {
        error
    } else {
        AbortError::new(error).into()
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> BoxDynError {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    // apalis stores it as JSON, where PostgreSQL takes no NUL.
    let said = said.unwrap_or("no text").replace('\0', "");
    format!("the job panicked and was undone: {said}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn of_engine(error: Error) -> BoxDynError {
        job_error::<BoxDynError>(Failure::Engine(error), Into::into)
    }

    #[test]
    fn what_would_fail_again_aborts() {
        assert!(of_engine(Error::KeyReused).is::<AbortError>());
        assert!(of_engine(Error::TransactionEnded).is::<AbortError>());
        assert!(of_engine(Error::MemoUnreadable { reason: "" }).is::<AbortError>());
        assert!(of_engine(Error::KeyUnstable { scope: "" }).is::<AbortError>());
        assert!(job_error(Failure::Final("refused"), Into::into).is::<AbortError>());
        assert!(of_engine(Error::InFlight).is::<Error>());
        assert!(of_engine(Error::Draining).is::<Error>());
    }

    /// Wrapped once more, apalis would not know it.
    #[test]
    fn an_error_of_the_body_stays_what_it_is() {
        let aborts = || BoxDynError::from(AbortError::new("no such invoice"));
        for failure in [Failure::Body(aborts()), Failure::Final(aborts())] {
            let error = job_error(failure, Into::into);
            assert_eq!(error.to_string(), "AbortError: no such invoice");
            assert!(error.is::<AbortError>());
        }
        assert!(job_error(Failure::Body(std::fmt::Error), Into::into).is::<std::fmt::Error>());
    }

    #[test]
    fn a_panic_says_what_it_said() {
        let said = |panic: Box<dyn std::any::Any + Send>| panicked(&*panic).to_string();
        assert!(said(Box::new("one\0")).ends_with(": one"));
        assert!(said(Box::new(String::from("two"))).ends_with(": two"));
        assert!(said(Box::new(3)).ends_with(": no text"));
    }
}
