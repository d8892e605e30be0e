//! Parallel copies of one request whose body takes 50 ms: how long until the last one has the
//! answer, how many connections they hold, and what that does to a stranger.

use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::time::{interval, sleep};

use crate::call::Call;
use crate::measure::{Ratio, median, milliseconds, rounds};
use crate::options::Options;
use crate::report::Table;
use crate::stage::{CONNECTIONS, Stage, Store};
use crate::subject::{Subject, Variant, Way};

const BODY_MS: u64 = 50;

/// When the stranger comes: the copies are all there, and the first one works.
const STRANGER_AFTER: Duration = Duration::from_millis(15);

/// What a volley of copies came to.
struct Volley {
    last_ms: f64,
    stranger_ms: f64,
    connections: f64,
}

pub(crate) async fn run(stage: &Stage, options: &Options) {
    let mut table = Table::new(
        "Parallel copies of one request with a body of 50 ms, through axum, pool of 16",
        [
            "where",
            "last answer, c/b",
            "b, ms",
            "c, ms",
            "connections, b",
            "c",
            "a stranger's request, b, ms",
            "c, ms",
        ],
    );
    for store in Store::ALL {
        for copies in [10, 100] {
            let place = format!("{}/{copies}", store.name());
            if !options.wants(&format!("copies/{place}")) {
                continue;
            }
            let variants = [Variant::ByHand, Variant::Attribute];
            let subjects = stage.subjects(store, &variants).await;
            let mut turn = async |_, subject: &_| volley(subject, copies).await;
            rounds(1, &subjects, &mut turn).await;
            let found = rounds(options.rounds, &subjects, &mut turn).await;
            let [b, c] = &found[..] else {
                unreachable!("BUG: a result for each variant")
            };
            let each = |volleys: &[Volley], of: fn(&Volley) -> f64| -> Vec<f64> {
                volleys.iter().map(of).collect()
            };
            let middle = |volleys: &[Volley], of| format!("{:.0}", median(&each(volleys, of)));
            table.row([
                place,
                Ratio::of(&each(c, |one| one.last_ms), &each(b, |one| one.last_ms)).to_string(),
                middle(b, |one| one.last_ms),
                middle(c, |one| one.last_ms),
                middle(b, |one| one.connections),
                middle(c, |one| one.connections),
                middle(b, |one| one.stranger_ms),
                middle(c, |one| one.stranger_ms),
            ]);
        }
    }
    table.print();
}

async fn volley(subject: &Subject, copies: usize) -> Volley {
    let mut clients = Vec::new();
    for _ in 0..copies {
        clients.push(subject.client(Way::Http).await);
    }
    let mut stranger = subject.client(Way::Http).await;
    // Every connection open and prepared, as in a server that has been up for a while.
    let before = clients.iter_mut().take(CONNECTIONS as usize);
    for answer in join_all(before.map(async |client| client.send(&Call::fresh()).await)).await {
        assert!(answer.is_created(), "a request failed: {answer:?}");
    }

    let mut call = Call::fresh();
    call.new.delay_ms = BODY_MS;
    let started = Instant::now();
    let answers = async {
        let answers = clients.iter_mut().map(|client| client.send(&call));
        let answers = join_all(answers).await;
        (answers, milliseconds(started.elapsed()))
    };
    let strange = async {
        sleep(STRANGER_AFTER).await;
        let sent = Instant::now();
        let answer = stranger.send(&Call::fresh()).await;
        assert!(answer.is_created(), "a request failed: {answer:?}");
        (milliseconds(sent.elapsed()), ())
    };
    // Counted while the copies are alone.
    let connections = async {
        let mut most = 0;
        let mut ticks = interval(Duration::from_millis(1));
        while started.elapsed() < STRANGER_AFTER {
            ticks.tick().await;
            most = most.max(subject.busy_connections());
        }
        f64::from(most)
    };
    let ((answers, last_ms), (stranger_ms, ()), connections) =
        tokio::join!(answers, strange, connections);
    for answer in &answers {
        assert!(answer.is_created(), "a copy failed: {answer:?}");
        assert_eq!(answer.body, answers[0].body, "copies got different answers");
    }
    Volley {
        last_ms,
        stranger_ms,
        connections,
    }
}
