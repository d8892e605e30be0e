//! What a plain fn or a job returns: how its `Ok`, and its `Err` if that is `Final`, is recorded.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::finality::Final;
use crate::memo::{Kind, Memo};
use crate::typed::Codec;

/// A `Result`, through aliases.
#[diagnostic::on_unimplemented(
    message = "an idempotent fn returns a `Result`, and `{Self}` is none",
    label = "no `Result`",
    note = "why: what keeps the operation from running, such as a lost database, is an error of its caller's",
    note = "fix: `Result<{Self}, idem_core::Error>`, or an error of your own with `From<idem_core::Error>`"
)]
pub trait Answer {
    /// Its value.
    type Ok;
    /// Its error.
    type Err;
}

impl<T, E> Answer for Result<T, E> {
    type Ok = T;
    type Err = E;
}

/// Met by values that can be recorded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be recorded, since it is not `Serialize` and `Deserialize`",
    label = "cannot be recorded",
    note = "why: a retry is given the recorded value instead of running the operation",
    note = "fix: `#[derive(serde::Serialize, serde::Deserialize)]` on `{Self}`, without borrowed fields",
    note = "fix: on an axum handler, `use idem_core::axum::idempotent`, which records the response"
)]
pub trait Recorded: Serialize + DeserializeOwned {}
#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Recorded for T {}

/// Met by final errors that can be recorded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has final errors, which cannot be recorded since it is not `Serialize` and `Deserialize`",
    label = "its final errors cannot be recorded",
    note = "why: a retry is given a final error again instead of running the operation",
    note = "fix: `#[derive(serde::Serialize, serde::Deserialize)]` on `{Self}`, or `memoize = success`"
)]
pub trait RecordedError: Serialize + DeserializeOwned {}
#[diagnostic::do_not_recommend]
impl<E: Serialize + DeserializeOwned> RecordedError for E {}

/// Met by errors that can hold the engine's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the engine's errors",
    label = "no `From<idem_core::Error>`",
    note = "why: what keeps the operation from running, such as a lost database, is an error of its caller's",
    note = "fix: `impl From<idem_core::Error> for {Self}`, or `#[from] idem_core::Error` in a variant with thiserror",
    note = "fix: `Box<dyn std::error::Error + Send + Sync>` as the error, which holds any"
)]
pub trait FromEngine: From<Error> {}
#[diagnostic::do_not_recommend]
impl<E: From<Error>> FromEngine for E {}

/// How a plain fn returns the engine's errors.
pub fn engine_errors<E: FromEngine>() -> fn(Error) -> E {
    E::from
}

/// Met by the errors of jobs.
#[cfg(feature = "apalis")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a job",
    label = "no `Into<BoxDynError>`",
    note = "why: apalis takes boxed errors, so that it can tell which of them end a job",
    note = "fix: `impl std::error::Error for {Self}`, such as `#[derive(thiserror::Error)]`, and `Send + Sync + 'static`"
)]
pub trait IntoJobError: Into<super::BoxDynError> {}
#[cfg(feature = "apalis")]
#[diagnostic::do_not_recommend]
impl<E: Into<super::BoxDynError>> IntoJobError for E {}

/// How a job returns its own errors.
#[cfg(feature = "apalis")]
pub fn job_errors<E: IntoJobError>() -> fn(E) -> super::BoxDynError {
    E::into
}

/// The ladder's subject: `(&&Answers::<R>::new()).codec()`.
#[derive(Debug)]
pub struct Answers<R>(PhantomData<R>);

impl<R> Answers<R> {
    /// For a fn that returns `R`.
    #[expect(clippy::new_without_default, reason = "named by expansions only")]
    pub fn new() -> Self
    where
        R: Answer,
    {
        Answers(PhantomData)
    }
}

/// How the answers of one fn are recorded.
#[derive(Debug)]
pub struct Codecs<T, E> {
    value: Codec<T>,
    error: Option<FinalCodec<E>>,
}

#[derive(Debug)]
struct FinalCodec<E> {
    is_final: fn(&E) -> bool,
    codec: Codec<E>,
}

/// The rung of errors that say which of them are final.
pub trait FinalErrors {
    /// The value.
    type Ok;
    /// The error.
    type Err;
    /// Records both.
    fn codec(&self) -> Codecs<Self::Ok, Self::Err>
    where
        Self::Ok: Recorded,
        Self::Err: RecordedError;
}

impl<T, E: Final> FinalErrors for &Answers<Result<T, E>> {
    type Ok = T;
    type Err = E;
    fn codec(&self) -> Codecs<T, E>
    where
        T: Recorded,
        E: RecordedError,
    {
        Codecs {
            value: Codec::NEW,
            error: Some(FinalCodec {
                is_final: E::is_final,
                codec: Codec::NEW,
            }),
        }
    }
}

/// The rung of all other errors, none of which is recorded.
pub trait OtherErrors {
    /// The value.
    type Ok;
    /// The error.
    type Err;
    /// Records the value.
    fn codec(&self) -> Codecs<Self::Ok, Self::Err>
    where
        Self::Ok: Recorded;
}

impl<T, E> OtherErrors for Answers<Result<T, E>> {
    type Ok = T;
    type Err = E;
    fn codec(&self) -> Codecs<T, E>
    where
        T: Recorded,
    {
        Codecs {
            value: Codec::NEW,
            error: None,
        }
    }
}

impl<T, E> Codecs<T, E> {
    pub(crate) fn value(&self) -> &Codec<T> {
        &self.value
    }

    pub(crate) fn error(&self) -> Option<&Codec<E>> {
        self.error.as_ref().map(|error| &error.codec)
    }

    pub(crate) fn is_final(&self, error: &E) -> bool {
        self.error
            .as_ref()
            .is_some_and(|codec| (codec.is_final)(error))
    }

    pub(crate) fn ok(&self, value: &T, limit_bytes: usize) -> Result<Memo> {
        self.value.memo(Kind::Value, value, limit_bytes)
    }

    pub(crate) fn final_error(&self, error: &E, limit_bytes: usize) -> Result<Memo> {
        let codec = self.error().expect("BUG: only a final error is recorded");
        codec.memo(Kind::FinalError, error, limit_bytes)
    }
}
