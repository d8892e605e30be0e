//! One copy leads, the others wait; whoever goes leaves nothing behind.

use std::time::Duration;

use super::*;
use crate::fingerprint::FingerprintWriter;
use crate::key::Key;
use crate::memo::Memo;

fn identity() -> Identity {
    Identity::new("", "places", &Key::new("k").unwrap())
}

fn fingerprint(of: &str) -> Fingerprint {
    let mut writer = FingerprintWriter::default();
    writer.value(of);
    writer.finish().unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

async fn lead(places: &Arc<Places>, inputs: &str) -> Seat {
    match places.take(identity(), &fingerprint(inputs), soon()).await {
        Ok(Waited::Leads(seat)) => seat,
        _ => panic!("should lead"),
    }
}

#[tokio::test]
async fn the_next_copy_leads_when_the_leader_gives_up() {
    let places = Arc::new(Places::default());
    let seat = lead(&places, "a").await;
    let next = tokio::spawn({
        let places = Arc::clone(&places);
        async move { lead(&places, "a").await }
    });
    tokio::task::yield_now().await;
    assert!(!next.is_finished());
    drop(seat);
    drop(next.await.unwrap());
    assert_eq!(places.len(), 0);
}

#[tokio::test]
async fn a_dropped_waiter_leaves_nothing_behind() {
    let places = Arc::new(Places::default());
    let seat = lead(&places, "a").await;
    let ours = fingerprint("a");
    let waiting = places.take(identity(), &ours, soon());
    assert!(futures_util::FutureExt::now_or_never(waiting).is_none());
    drop(seat);
    assert_eq!(places.len(), 0);
}

#[tokio::test]
async fn other_inputs_are_refused_only_once_the_leader_has_the_claim() {
    let places = Arc::new(Places::default());
    let seat = lead(&places, "a").await;
    let ours = fingerprint("b");
    let mut other = std::pin::pin!(places.take(identity(), &ours, soon()));
    assert!(futures_util::poll!(other.as_mut()).is_pending());
    seat.running(fingerprint("a"));
    assert!(matches!(other.await, Err(Error::KeyReused)));
}

/// Between a leader that failed and the next one, no inputs count.
#[tokio::test]
async fn other_inputs_are_not_refused_for_a_leader_that_is_gone() {
    let places = Arc::new(Places::default());
    let seat = lead(&places, "a").await;
    let same = fingerprint("a");
    let mut next = std::pin::pin!(places.take(identity(), &same, soon()));
    assert!(futures_util::poll!(next.as_mut()).is_pending());
    seat.running(fingerprint("a"));
    drop(seat);
    let ours = fingerprint("b");
    let mut other = std::pin::pin!(places.take(identity(), &ours, soon()));
    assert!(futures_util::poll!(other.as_mut()).is_pending());
    assert!(matches!(next.await, Ok(Waited::Leads(_))));
    assert!(matches!(other.await, Ok(Waited::Leads(_))));
}

#[tokio::test]
async fn every_waiting_copy_gets_the_answer() {
    let places = Arc::new(Places::default());
    let seat = lead(&places, "a").await;
    let copies: Vec<_> = (0..8)
        .map(|_| {
            let places = Arc::clone(&places);
            tokio::spawn(async move {
                let ours = fingerprint("a");
                places.take(identity(), &ours, soon()).await
            })
        })
        .collect();
    tokio::task::yield_now().await;
    seat.done(Finished {
        fingerprint: fingerprint("a"),
        memo: Memo::unknown(),
    });
    for copy in copies {
        assert!(matches!(copy.await.unwrap(), Ok(Waited::Answer(_))));
    }
    assert_eq!(places.len(), 0);
}

/// case L19: the map of running operations shrinks when they end.
#[tokio::test]
async fn ended_operations_leave_the_map() {
    let places = Arc::new(Places::default());
    for number in 0..10_000 {
        let identity = Identity::new("", "places", &Key::new(&number).unwrap());
        let taken = places.take(identity, &fingerprint("a"), soon()).await;
        assert!(matches!(taken, Ok(Waited::Leads(_))));
    }
    assert_eq!(places.len(), 0);
}

#[tokio::test]
async fn patience_ends_in_flight() {
    let places = Arc::new(Places::default());
    let _seat = lead(&places, "a").await;
    let waited = places
        .take(identity(), &fingerprint("a"), Instant::now())
        .await;
    assert!(matches!(waited, Err(Error::InFlight)));
}
