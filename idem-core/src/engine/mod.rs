//! The engine: claim, run, record. Every form of the attribute and every store goes through here.

mod adopted;
pub(crate) mod backoff;
mod cache;
pub(crate) mod decide;
mod end;
pub(crate) mod inside;
mod join;
mod places;
mod timer;
mod unit;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::idem::Settings;
use crate::key::{Identity, Key};
use crate::memo::Memo;
use crate::spec::{Form, Spec};
use crate::store::session::{Savepoint, Session};
use crate::store::{Attempt, Claim, Database, Store};
use backoff::Backoff;
use cache::MemoCache;
use decide::{Inputs, State, Verdict, decide};
pub(crate) use end::{End, Ending};
use places::{Places, Seat, Waited};
pub(crate) use timer::Timer;
pub(crate) use unit::{Home, Loan};

/// The longest `wait` and `timeout`, a year: what may be added to any instant.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What belongs to one database and schema, shared by all clones of its `Idem`.
pub(crate) struct Engine<Db: Database> {
    store: Db::Store,
    pub(crate) settings: Settings,
    places: Arc<Places>,
    cache: MemoCache,
    /// One token for each running operation.
    running: TaskTracker,
    draining: AtomicBool,
}

/// An answer whose commit is confirmed.
#[derive(Clone)]
pub(crate) struct Finished {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) memo: Memo,
}

/// A claim: the open transaction, and what it is for. Fields are dropped in this order, so the
/// rollback is under way before the next copy may ask the store.
pub(crate) struct Claimed<Db: Database> {
    pub(crate) loan: Loan<Db>,
    /// `None` for a request that carried no key and runs unprotected.
    pub(crate) held: Option<Held>,
    /// `None` for a joined one, which runs as long as the one around it.
    _running: Option<TaskTrackerToken>,
}

/// The key a claim holds.
pub(crate) struct Held {
    pub(crate) attempt: Attempt,
    /// `None` where an operation joined before in the same transaction still has it.
    seat: Option<Seat>,
    /// How many operations had joined its transaction when it began.
    joined_before: usize,
    /// Its savepoint, if it joined.
    savepoint: Savepoint,
}

impl Held {
    fn claiming(&self) {
        if let Some(seat) = &self.seat {
            seat.claiming();
        }
    }

    /// Gives the committed answer to every waiting copy.
    fn done(self, finished: Finished) {
        if let Some(seat) = self.seat {
            seat.done(finished);
        }
    }
}

/// What asking for a key came to.
#[expect(clippy::large_enum_variant, reason = "lives on the stack for a moment")]
pub(crate) enum Asked<Db: Database> {
    /// The body may run; claim, body and buffering must be through when the timer runs out.
    Claimed(Claimed<Db>, Timer),
    /// It ran before; this is its answer.
    Answer(Memo),
}

/// What the store said in the end.
enum Found<Db: Database> {
    Free(Session<Db>, Timer),
    Done(Finished),
}

impl<Db: Database> Engine<Db> {
    pub(crate) fn new(store: Db::Store, settings: Settings) -> Self {
        Engine {
            store,
            places: Arc::default(),
            cache: MemoCache::new(settings.cache_bytes),
            settings,
            running: TaskTracker::new(),
            draining: AtomicBool::new(false),
        }
    }

    pub(crate) fn store(&self) -> &Db::Store {
        &self.store
    }

    pub(crate) fn attempt(&self, spec: &Spec, key: Key, fingerprint: Fingerprint) -> Attempt {
        Attempt {
            identity: Identity::new(&self.settings.namespace, spec.scope, &key),
            fingerprint,
            scope: spec.scope,
            readable_key: key.into_readable(),
        }
    }

    /// The answer, if this process still has it in memory; asks nobody and waits for nothing.
    pub(crate) fn cached(&self, attempt: &Attempt) -> Option<Result<Memo>> {
        self.cache
            .find(&attempt.identity)
            .map(|finished| replay(&attempt.fingerprint, finished))
    }

    /// Claims the key, or finds the answer, waiting for another attempt as long as `spec` allows.
    pub(crate) async fn ask(&self, spec: &Spec, attempt: Attempt) -> Result<Asked<Db>> {
        let patience = self.patience(spec);
        let seat = match self
            .places
            .take(attempt.identity, &attempt.fingerprint, patience)
            .await?
        {
            Waited::Leads(seat) => seat,
            Waited::Answer(finished) => return Ok(Asked::Answer(finished.memo)),
        };
        if self.draining.load(Ordering::SeqCst) {
            // A claim could wait for what runs, only to be refused then.
            let mut timer = Timer::new(self.timeout(spec));
            let found = timer.bound(self.store.find(&attempt)).await??;
            let record = found.ok_or(Error::Draining)?;
            let finished = Finished {
                fingerprint: record.fingerprint,
                memo: record.memo,
            };
            return replay(&attempt.fingerprint, finished).map(Asked::Answer);
        }
        match self.claim(spec, &attempt, None, patience).await? {
            Found::Free(session, timer) => {
                let held = Held {
                    attempt,
                    seat: Some(seat),
                    joined_before: 0,
                    savepoint: Savepoint::default(),
                };
                let claimed = self.claimed(session, Some(held))?;
                Ok(Asked::Claimed(claimed, timer))
            }
            Found::Done(finished) => {
                seat.done(finished.clone());
                replay(&attempt.fingerprint, finished).map(Asked::Answer)
            }
        }
    }

    /// Asks the store until it gives the claim or an answer; on `session`'s connection first.
    async fn claim(
        &self,
        spec: &Spec,
        attempt: &Attempt,
        mut session: Option<Session<Db>>,
        patience: Instant,
    ) -> Result<Found<Db>> {
        let mut backoff = Backoff::default();
        loop {
            let asked = self.cache.asking();
            let mut timer = Timer::new(self.timeout(spec));
            let claim = self.store.claim(session.take(), attempt, patience);
            let inputs = match timer.bound(claim).await?? {
                Claim::Free(session) => return Ok(Found::Free(session, timer)),
                Claim::Done(record) => {
                    let finished = Finished {
                        fingerprint: record.fingerprint,
                        memo: record.memo,
                    };
                    self.cache
                        .keep(attempt.identity, &finished, record.remaining, asked);
                    return Ok(Found::Done(finished));
                }
                Claim::Running(inputs) => inputs,
            };
            if decide(State::Running, inputs) == Verdict::Refuse {
                return Err(Error::KeyReused);
            }
            let pause = backoff.next();
            if Instant::now() + pause > patience {
                return Err(Error::InFlight);
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Begins a transaction for a request that carries no key and may run without one.
    pub(crate) async fn unprotected(&self, spec: &Spec) -> Result<Asked<Db>> {
        let mut timer = Timer::new(self.timeout(spec));
        let begin = self.store.begin(self.patience(spec));
        let session = timer.bound(begin).await??;
        let claimed = self.claimed(session, None)?;
        Ok(Asked::Claimed(claimed, timer))
    }

    /// When waiting for another attempt ends.
    fn patience(&self, spec: &Spec) -> Instant {
        let wait = match (spec.wait, spec.form) {
            (Some(wait), _) => wait,
            // A job that gives up has used up one of its attempts; by then whatever runs has ended.
            (None, Form::Apalis) => self.settings.wait.max(self.timeout(spec)),
            (None, _) => self.settings.wait,
        };
        Instant::now() + wait.min(LONGEST)
    }

    /// How long claim, body and buffering may take together.
    fn timeout(&self, spec: &Spec) -> Duration {
        spec.timeout.unwrap_or(self.settings.timeout).min(LONGEST)
    }

    /// Lets a claimed operation run, unless the server is shutting down.
    fn claimed(&self, session: Session<Db>, held: Option<Held>) -> Result<Claimed<Db>> {
        // Counted before the look, so that `drain` misses no operation that saw it not draining.
        let running = self.running.token();
        if self.draining.load(Ordering::SeqCst) {
            return Err(Error::Draining);
        }
        let mut loan = Loan::own(session);
        if let (Some(held), Some(unit)) = (&held, loan.unit_mut()) {
            unit.enter(held);
        }
        Ok(Claimed {
            loan,
            held,
            _running: Some(running),
        })
    }

    /// Starts no more operations, and waits for the running ones; how many still run at the end.
    pub(crate) async fn drain(&self, patience: Duration) -> usize {
        self.draining.store(true, Ordering::SeqCst);
        self.running.close();
        // Whether it ended or time did, the count says the rest.
        let _ = tokio::time::timeout(patience, self.running.wait()).await;
        self.running.len()
    }

    /// Deletes a finished record, and its copy in this process.
    pub(crate) async fn forget(&self, scope: &str, key: &Key) -> Result<bool> {
        let identity = Identity::new(&self.settings.namespace, scope, key);
        let forgotten = self.store.forget(&identity).await?;
        self.cache.forget(&identity);
        Ok(forgotten)
    }
}

/// The answer of a finished operation, for an attempt with the same inputs.
fn replay(ours: &Fingerprint, finished: Finished) -> Result<Memo> {
    match decide(State::Done, Inputs::compare(ours, &finished.fingerprint)) {
        Verdict::Replay => Ok(finished.memo),
        _ => Err(Error::KeyReused),
    }
}
