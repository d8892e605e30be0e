//! The memo cache: recent answers in a bounded number of bytes, so that replays that come back
//! soon ask no database.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::Finished;
use crate::key::Identity;

/// The longest life of an entry: how late `forget` reaches the caches of other processes.
const LONGEST_LIFE: Duration = Duration::from_secs(60);

/// The coarsest step of a database's clock (SQLite's): by so much a record may end before its time,
/// and no entry may outlive it.
const CLOCK_STEP: Duration = Duration::from_millis(1);

/// What an entry weighs beside its memo's bytes: key, fingerprint, times and the map's own slot.
const ENTRY_BYTES: u64 = 192;

/// Answers whose commit is confirmed.
pub(crate) struct MemoCache {
    /// `None` when switched off.
    entries: Option<Cache<Identity, Entry, Weight>>,
    /// Raised by `forget`, so that an answer read before it is not kept after it.
    generation: AtomicU64,
}

#[derive(Clone)]
struct Entry {
    finished: Finished,
    until: Instant,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Identity, Entry> for Weight {
    fn weight(&self, _: &Identity, entry: &Entry) -> u64 {
        ENTRY_BYTES + entry.finished.memo.as_stored().len() as u64
    }
}

/// When an answer was asked for or recorded: the moment its time to live counts from, at the
/// latest, and what `forget` had done by then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    at: Instant,
    generation: u64,
}

impl MemoCache {
    pub(crate) fn new(capacity_bytes: u64) -> Self {
        let estimated = usize::try_from(capacity_bytes / 1024).unwrap_or(usize::MAX);
        let entries = (capacity_bytes > 0)
            .then(|| Cache::with_weighter(estimated.max(16), capacity_bytes, Weight));
        MemoCache {
            entries,
            generation: AtomicU64::new(0),
        }
    }

    /// To be called before the store is asked for the answer, or told it.
    pub(crate) fn asking(&self) -> Asked {
        Asked {
            at: Instant::now(),
            generation: self.generation.load(Ordering::SeqCst),
        }
    }

    pub(crate) fn find(&self, identity: &Identity) -> Option<Finished> {
        let entries = self.entries.as_ref()?;
        let entry = entries.get(identity)?;
        if Instant::now() < entry.until {
            return Some(entry.finished);
        }
        entries.remove(identity);
        None
    }

    /// Keeps a committed answer; `remaining` as of `asked`, `None` for one that never expires.
    pub(crate) fn keep(
        &self,
        identity: Identity,
        finished: &Finished,
        remaining: Option<Duration>,
        asked: Asked,
    ) {
        let Some(entries) = &self.entries else { return };
        let life = remaining.map_or(LONGEST_LIFE, |remaining| {
            remaining.saturating_sub(CLOCK_STEP).min(LONGEST_LIFE)
        });
        entries.insert(
            identity,
            Entry {
                finished: finished.clone(),
                until: asked.at + life,
            },
        );
        // `forget` raises the generation before it removes: one of the two sees the other.
        if self.generation.load(Ordering::SeqCst) != asked.generation {
            entries.remove(&identity);
        }
    }

    /// Drops the entry of a record that was just deleted.
    pub(crate) fn forget(&self, identity: &Identity) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        if let Some(entries) = &self.entries {
            entries.remove(identity);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::BufMut as _;

    use super::*;
    use crate::fingerprint::FingerprintWriter;
    use crate::key::Key;
    use crate::memo::{Kind, Memo};

    fn identity(name: &str) -> Identity {
        Identity::new("", "cache", &Key::new(name).unwrap())
    }

    fn finished(bytes: usize) -> Finished {
        let memo = Memo::new(Kind::Http, bytes, |stored| stored.put_bytes(0, bytes));
        Finished {
            fingerprint: FingerprintWriter::default().finish().unwrap(),
            memo,
        }
    }

    #[test]
    fn an_answer_read_before_forget_is_not_kept_after_it() {
        let cache = MemoCache::new(1 << 20);
        let asked = cache.asking();
        cache.forget(&identity("a"));
        cache.keep(identity("a"), &finished(1), None, asked);
        assert!(cache.find(&identity("a")).is_none());
        cache.keep(identity("a"), &finished(1), None, cache.asking());
        assert!(cache.find(&identity("a")).is_some());
    }

    #[test]
    fn an_entry_never_outlives_its_record() {
        let cache = MemoCache::new(1 << 20);
        cache.keep(
            identity("a"),
            &finished(1),
            Some(Duration::ZERO),
            cache.asking(),
        );
        assert!(cache.find(&identity("a")).is_none());
    }

    #[test]
    fn the_cache_stays_within_its_bytes() {
        let cache = MemoCache::new(64 << 10);
        for number in 0..1000 {
            cache.keep(
                identity(&number.to_string()),
                &finished(1000),
                None,
                cache.asking(),
            );
        }
        let entries = cache.entries.as_ref().unwrap();
        assert!(entries.weight() <= 64 << 10, "{} bytes", entries.weight());
        assert!(!entries.is_empty());
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing() {
        let cache = MemoCache::new(0);
        cache.keep(identity("a"), &finished(1), None, cache.asking());
        assert!(cache.find(&identity("a")).is_none());
    }
}
