//! Slices of time, rounds of slices, and the numbers that come of them.

use std::fmt::{self, Display};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::call::{Answer, Call};
use crate::subject::{Subject, Variant, Way};

/// What the clients of a slice ask for.
pub(crate) enum Calls {
    /// Operations nobody asked for before.
    Fresh,
    /// Operations that are done, and the body of their first answer.
    Done(Vec<(Call, Bytes)>),
}

/// A load on a subject.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) way: Way,
    pub(crate) concurrency: usize,
    /// How long it runs before anything counts.
    pub(crate) warm_up: Duration,
    /// How long it counts.
    pub(crate) length: Duration,
}

/// What a slice came to.
pub(crate) struct Slice {
    pub(crate) per_second: f64,
    /// How long each counted request took, whatever its answer.
    pub(crate) latencies: Vec<Duration>,
    /// The answers other than 201.
    pub(crate) refusals: Vec<Answer>,
}

impl Slice {
    /// The throughput, where every answer must be the right one.
    pub(crate) fn throughput(self) -> f64 {
        if let Some(refused) = self.refusals.first() {
            panic!("a request failed: {refused:?}");
        }
        self.per_second
    }
}

/// Loads `subject` for one slice: each client sends its next request when it has its last answer.
pub(crate) async fn slice(subject: &Subject, load: Load, calls: &Calls) -> Slice {
    let mut clients = Vec::new();
    for _ in 0..load.concurrency {
        clients.push(subject.client(load.way).await);
    }
    let variant = subject.variant;
    let from = Instant::now() + load.warm_up;
    let until = from + load.length;
    let mut tasks = Vec::new();
    for (number, mut client) in clients.into_iter().enumerate() {
        let mut mine = calls.share(number, load.concurrency);
        tasks.push(tokio::spawn(async move {
            let mut latencies = Vec::new();
            let mut refusals = Vec::new();
            loop {
                let (call, expected) = mine.next();
                let sent = Instant::now();
                let answer = client.send(&call).await;
                let answered = Instant::now();
                check(variant, &answer, expected.as_ref());
                if answered >= until {
                    return (latencies, refusals);
                }
                if answered >= from {
                    latencies.push(answered - sent);
                    if !answer.is_created() {
                        refusals.push(answer);
                    }
                }
            }
        }));
    }
    let mut latencies = Vec::new();
    let mut refusals = Vec::new();
    for task in tasks {
        let (its_latencies, its_refusals) = task.await.expect("a client runs to its end");
        latencies.extend(its_latencies);
        refusals.extend(its_refusals);
    }
    let created = count(latencies.len() - refusals.len());
    Slice {
        per_second: created / load.length.as_secs_f64(),
        latencies,
        refusals,
    }
}

/// Has `operations` fresh operations done, and does nothing else that takes memory or time.
pub(crate) async fn perform(subject: &Subject, concurrency: usize, operations: usize) {
    let mut tasks = Vec::new();
    for number in 0..concurrency {
        let mut client = subject.client(Way::Engine).await;
        let variant = subject.variant;
        let mine = operations / concurrency + usize::from(number < operations % concurrency);
        tasks.push(tokio::spawn(async move {
            for _ in 0..mine {
                let answer = client.send(&Call::fresh()).await;
                check(variant, &answer, None);
                assert!(answer.is_created(), "a request failed: {answer:?}");
            }
        }));
    }
    for task in tasks {
        task.await.expect("a client runs to its end");
    }
}

/// Has `operations` fresh operations done, to ask for them again the same way: the path is one of
/// an operation's inputs.
pub(crate) async fn done(subject: &Subject, way: Way, operations: usize) -> Calls {
    let mut client = subject.client(way).await;
    let mut done = Vec::new();
    for _ in 0..operations {
        let call = Call::fresh();
        let answer = client.send(&call).await;
        assert!(answer.is_created(), "a request failed: {answer:?}");
        done.push((call, answer.body));
    }
    Calls::Done(done)
}

/// A number that is wrong is worth nothing, so every answer is looked at.
fn check(variant: Variant, answer: &Answer, first: Option<&Bytes>) {
    if !answer.is_created() {
        return;
    }
    let marks_replays = matches!(variant, Variant::Attribute | Variant::Uncached);
    assert_eq!(
        answer.replayed,
        marks_replays && first.is_some(),
        "{variant:?} gave {answer:?}"
    );
    if let Some(first) = first {
        assert_eq!(&answer.body, first, "{variant:?} gave another answer");
    }
}

impl Calls {
    /// What the client of this number asks for: finished operations are dealt out, not shared.
    fn share(&self, number: usize, of: usize) -> Share {
        match self {
            Calls::Fresh => Share(None, 0),
            Calls::Done(done) => {
                let mine = done.iter().skip(number).step_by(of).cloned();
                Share(Some(mine.collect()), 0)
            }
        }
    }
}

struct Share(Option<Vec<(Call, Bytes)>>, usize);

impl Share {
    fn next(&mut self) -> (Call, Option<Bytes>) {
        match &self.0 {
            None => (Call::fresh(), None),
            Some(done) => {
                self.1 = (self.1 + 1) % done.len();
                let (call, body) = done[self.1].clone();
                (call, Some(body))
            }
        }
    }
}

/// Gives each subject its turn in each round, each round beginning with another one. What comes
/// out is ordered by subject, then by round.
pub(crate) async fn rounds<T>(
    rounds: usize,
    subjects: &[Subject],
    mut turn: impl AsyncFnMut(usize, &Subject) -> T,
) -> Vec<Vec<T>> {
    let mut results: Vec<Vec<T>> = subjects.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for place in 0..subjects.len() {
            let index = (round + place) % subjects.len();
            let result = turn(index, &subjects[index]).await;
            results[index].push(result);
        }
    }
    results
}

/// The quotient of two variants, round by round.
pub(crate) struct Ratio {
    median: f64,
    lowest: f64,
    highest: f64,
}

impl Ratio {
    /// `these` by `those`, each with one number a round.
    pub(crate) fn of(these: &[f64], those: &[f64]) -> Self {
        let mut quotients: Vec<f64> = these.iter().zip(those).map(|(a, b)| a / b).collect();
        quotients.sort_by(f64::total_cmp);
        Ratio {
            median: median(&quotients),
            lowest: quotients[0],
            highest: quotients[quotients.len() - 1],
        }
    }
}

impl Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio {
            median,
            lowest,
            highest,
        } = self;
        write!(f, "{median:.2} ({lowest:.2} to {highest:.2})")
    }
}

/// The middle of some numbers.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    percentile(numbers, 0.5)
}

/// The number that a share of all numbers do not exceed.
pub(crate) fn percentile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index within the slice"
    )]
    let index = (count(sorted.len() - 1) * share).round() as usize;
    sorted[index]
}

/// A count as a number to calculate with.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts here are far below 2 to the 52nd"
)]
pub(crate) fn count(count: usize) -> f64 {
    count as f64
}

/// A duration in milliseconds.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
