//! `Call`: what the body of one operation and whoever drives it tell each other.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::engine::inside::is_inside;
use crate::engine::{Asked, Claimed, Engine, Loan, Timer};
use crate::error::{Error, Result};
use crate::fingerprint::FingerprintWriter;
use crate::key::Key;
use crate::memo::Memo;
use crate::spec::Spec;
use crate::store::{Attempt, Database};

/// One call of an annotated fn. The body claims through it; its driver reads what came of that.
pub(crate) struct Call<Db: Database> {
    pub(crate) engine: Arc<Engine<Db>>,
    pub(crate) spec: &'static Spec,
    /// Whether the request carried no key and may run unprotected.
    keyless: bool,
    /// Whether it was called from within a body of the same engine, without joining that.
    nested: bool,
    /// The operation's own span: scope, digest of the key, outcome.
    pub(crate) span: tracing::Span,
    state: Mutex<State<Db>>,
}

struct State<Db: Database> {
    /// Why the body does not go on: an answer that exists already, or an error.
    answer: Option<Result<Memo>>,
    /// Runs out when the body must be through.
    timer: Option<Timer>,
    /// The claim of a body that was dropped before it ended.
    abandoned: Option<Claimed<Db>>,
}

impl<Db: Database> Call<Db> {
    pub(crate) fn new(engine: Arc<Engine<Db>>, spec: &'static Spec, keyless: bool) -> Arc<Self> {
        let nested = is_inside(&engine);
        let state = State {
            answer: None,
            timer: None,
            abandoned: None,
        };
        let span = tracing::info_span!(
            "idempotent",
            scope = spec.scope,
            key = tracing::field::Empty,
            outcome = tracing::field::Empty,
        );
        Arc::new(Call {
            engine,
            spec,
            keyless,
            nested,
            span,
            state: Mutex::new(state),
        })
    }

    /// Claims, on behalf of the body, in the transaction it joins if there is one; returns only if
    /// the body is to run.
    pub(crate) async fn claim(
        &self,
        key: Result<Key>,
        fingerprint: FingerprintWriter,
        joins: Option<Loan<Db>>,
    ) -> Claimed<Db> {
        let answer = match self.ask(key, fingerprint, joins).await {
            Ok(Asked::Claimed(claimed, timer)) => {
                self.lock().timer = Some(timer);
                return claimed;
            }
            Ok(Asked::Answer(memo)) => Ok(memo),
            Err(error) => Err(error),
        };
        self.lock().answer = Some(answer);
        // The driver sees the answer and drops the body here.
        std::future::pending().await
    }

    async fn ask(
        &self,
        key: Result<Key>,
        fingerprint: FingerprintWriter,
        joins: Option<Loan<Db>>,
    ) -> Result<Asked<Db>> {
        if self.nested && joins.is_none() {
            return Err(Error::Nested);
        }
        if self.keyless {
            key?;
            return self.engine.unprotected(self.spec).await;
        }
        let attempt = self.attempt(key, fingerprint);
        if let Some(loan) = joins {
            return match attempt {
                Ok(attempt) => self.engine.join(self.spec, attempt, loan).await,
                Err(error) => {
                    loan.settle();
                    Err(error)
                }
            };
        }
        let attempt = attempt?;
        if let Some(answer) = self.engine.cached(&attempt) {
            return answer.map(Asked::Answer);
        }
        self.engine.ask(self.spec, attempt).await
    }

    fn attempt(&self, key: Result<Key>, fingerprint: FingerprintWriter) -> Result<Attempt> {
        let attempt = self.engine.attempt(self.spec, key?, fingerprint.finish()?);
        self.span
            .record("key", tracing::field::display(attempt.identity));
        Ok(attempt)
    }

    pub(crate) fn take_answer(&self) -> Option<Result<Memo>> {
        self.lock().answer.take()
    }

    /// The timer that bounds the body, once the body may run.
    pub(crate) fn take_timer(&self) -> Option<Timer> {
        self.lock().timer.take()
    }

    /// Leaves the claim of a body that was dropped to its driver, which ends it in order.
    pub(crate) fn abandon(&self, claimed: Claimed<Db>) {
        self.lock().abandoned = Some(claimed);
    }

    /// What a dropped body left behind.
    pub(crate) fn take_abandoned(&self) -> Option<Claimed<Db>> {
        self.lock().abandoned.take()
    }

    /// Ends what a dropped body left behind: rolls back and frees its key.
    ///
    /// # Errors
    /// [`Error::TransactionEnded`] when the body had committed something by itself.
    pub(crate) async fn release_abandoned(&self) -> Result<()> {
        match self.take_abandoned() {
            Some(claimed) => self.engine.release(self.spec, claimed).await.map(drop),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<Db>> {
        self.state
            .lock()
            .expect("BUG: nothing panics while it holds a call's state")
    }
}
