//! Local waiting: copies of one operation in one process wait in memory on the first, holding no
//! connection, and get its answer from there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::Finished;
use super::decide::{Inputs, State, Verdict, decide};
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::key::Identity;

/// The operations this process is working on.
#[derive(Default)]
pub(crate) struct Places {
    places: Mutex<HashMap<Identity, Arc<Place>>>,
}

/// Where the copies of one operation meet.
struct Place {
    /// One permit, handed on first come, first served: its holder leads.
    turn: Arc<Semaphore>,
    progress: watch::Sender<Progress>,
}

impl Place {
    fn show(&self, now: Progress) {
        // Copies subscribe before they look, so whoever is not counted here will see it; waking
        // nobody costs as many locks as waking many.
        self.progress.send_if_modified(|progress| {
            *progress = now;
            self.progress.receiver_count() > 0
        });
    }
}

/// How far the leader is.
#[derive(Clone)]
enum Progress {
    /// It asks the store; its inputs count for nothing yet.
    Claiming,
    /// It has the store's claim, with these inputs.
    Running(Fingerprint),
    /// Its answer is committed.
    Done(Finished),
}

impl Progress {
    fn verdict(&self, ours: &Fingerprint) -> Verdict {
        match self {
            Progress::Claiming => decide(State::Running, Inputs::Unknown),
            Progress::Running(theirs) => decide(State::Running, Inputs::compare(ours, theirs)),
            Progress::Done(finished) => {
                decide(State::Done, Inputs::compare(ours, &finished.fingerprint))
            }
        }
    }
}

/// What waiting came to.
pub(crate) enum Waited {
    /// This copy leads: it asks the store.
    Leads(Seat),
    /// Another copy's answer.
    Answer(Finished),
}

impl Places {
    /// Takes the operation's seat, or waits for whoever has it.
    ///
    /// # Errors
    /// [`Error::InFlight`] at `patience`; [`Error::KeyReused`] as soon as the leader is known to
    /// run with other inputs.
    pub(crate) async fn take(
        self: &Arc<Self>,
        identity: Identity,
        ours: &Fingerprint,
        patience: Instant,
    ) -> Result<Waited> {
        let presence = Presence::enter(self, identity);
        let place = presence.place();
        let turn = match Arc::clone(&place.turn).try_acquire_owned() {
            Ok(turn) => turn,
            Err(_) => {
                let turn = Arc::clone(&place.turn);
                let mut progress = place.progress.subscribe();
                let verdict = progress.wait_for(|seen| seen.verdict(ours) != Verdict::Wait);
                tokio::select! {
                    biased;
                    seen = verdict => {
                        let seen = seen.expect("BUG: the place keeps its sender").clone();
                        return answer(seen, ours);
                    }
                    turn = turn.acquire_owned() => turn.expect("BUG: turns are never closed"),
                    () = tokio::time::sleep_until(patience.into()) => return Err(Error::InFlight),
                }
            }
        };
        // The last leader may have finished between the two looks.
        let seen = place.progress.borrow().clone();
        if let Progress::Done(_) = seen {
            return answer(seen, ours);
        }
        place.show(Progress::Claiming);
        Ok(Waited::Leads(Seat {
            _turn: turn,
            presence,
        }))
    }

    /// Takes the seat for a copy that joins another operation's transaction, or waits for the
    /// leader that runs. `None` where the leader is still asking the store: it may be waiting for
    /// that very transaction, so the store decides between the two.
    ///
    /// # Errors
    /// As for [`take`](Self::take).
    pub(crate) async fn join(
        self: &Arc<Self>,
        identity: Identity,
        ours: &Fingerprint,
        patience: Instant,
    ) -> Result<Option<Waited>> {
        let asks = self.lock().get(&identity).is_some_and(|place| {
            place.turn.available_permits() == 0
                && matches!(*place.progress.borrow(), Progress::Claiming)
        });
        if asks {
            return Ok(None);
        }
        self.take(identity, ours, patience).await.map(Some)
    }

    /// How many operations are being worked on or waited for.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, Arc<Place>>> {
        self.places
            .lock()
            .expect("BUG: nothing panics while it holds the places")
    }
}

fn answer(seen: Progress, ours: &Fingerprint) -> Result<Waited> {
    match (seen.verdict(ours), seen) {
        (Verdict::Replay, Progress::Done(finished)) => Ok(Waited::Answer(finished)),
        _ => Err(Error::KeyReused),
    }
}

/// The right to ask the store for this operation, one copy at a time. Dropping it hands the right
/// to the next copy in line.
pub(crate) struct Seat {
    _turn: OwnedSemaphorePermit,
    presence: Presence,
}

impl Seat {
    pub(crate) fn identity(&self) -> &Identity {
        &self.presence.identity
    }

    /// Says that the store has given this copy the claim.
    pub(crate) fn running(&self, ours: Fingerprint) {
        self.presence.place().show(Progress::Running(ours));
    }

    /// Says that this copy asks the store again.
    pub(crate) fn claiming(&self) {
        self.presence.place().show(Progress::Claiming);
    }

    /// Gives every waiting copy the committed answer.
    pub(crate) fn done(self, finished: Finished) {
        self.presence.places.lock().remove(&self.presence.identity);
        self.presence.place().show(Progress::Done(finished));
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // Its inputs count no longer: until the next copy has the store's claim, nobody's do.
        self.presence.place().progress.send_if_modified(|progress| {
            let ran = matches!(progress, Progress::Running(_));
            if ran {
                *progress = Progress::Claiming;
            }
            ran
        });
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat")
            .field("identity", &self.presence.identity)
            .finish_non_exhaustive()
    }
}

/// Keeps the place in the map as long as one copy is there.
struct Presence {
    places: Arc<Places>,
    identity: Identity,
    /// `None` only while being dropped.
    place: Option<Arc<Place>>,
}

impl Presence {
    fn enter(places: &Arc<Places>, identity: Identity) -> Self {
        let place = Arc::clone(places.lock().entry(identity).or_insert_with(|| {
            Arc::new(Place {
                turn: Arc::new(Semaphore::new(1)),
                progress: watch::Sender::new(Progress::Claiming),
            })
        }));
        Presence {
            places: Arc::clone(places),
            identity,
            place: Some(place),
        }
    }

    fn place(&self) -> &Place {
        self.place
            .as_ref()
            .expect("BUG: the place is taken only when dropped")
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // Counted and dropped under the lock, so that two last copies cannot both miss the other.
        let mut places = self.places.lock();
        let place = self.place.take();
        if let (Some(mine), Some(listed)) = (&place, places.get(&self.identity))
            && Arc::ptr_eq(mine, listed)
            && Arc::strong_count(listed) == 2
        {
            places.remove(&self.identity);
        }
        drop(place);
    }
}

#[cfg(test)]
mod tests;
