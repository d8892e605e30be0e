//! Replays: the recorded answer, from memory and from the database.

use crate::measure::{Load, Ratio, done, median, rounds, slice};
use crate::options::Options;
use crate::report::Table;
use crate::stage::{Stage, Store};
use crate::subject::{Variant, Way};

const VARIANTS: [Variant; 4] = [
    Variant::ByHand,
    Variant::ByHandAgain,
    Variant::Attribute,
    Variant::Uncached,
];

/// How many finished operations are asked for, over and over: few enough for the memo cache.
const OPERATIONS: usize = 512;

pub(crate) async fn run(stage: &Stage, options: &Options) {
    let mut table = Table::new(
        "Replay: throughput as a share of b's replays",
        [
            "where",
            "c, in memory",
            "c, from the database",
            "b'/b (noise)",
            "b per second",
        ],
    );
    for store in Store::ALL {
        let mut prepared = None;
        for way in [Way::Http, Way::Engine] {
            for concurrency in [1, 16] {
                let place = format!("{}/{}/c{concurrency}", store.name(), way.name());
                if !options.wants(&format!("replay/{place}")) {
                    continue;
                }
                if prepared.is_none() {
                    prepared = Some(stage.subjects(store, &VARIANTS).await);
                }
                let subjects = prepared.as_deref().unwrap_or_default();
                // Anew each time, since an answer stays in memory for a minute at most.
                let mut calls = Vec::new();
                for subject in subjects {
                    calls.push(done(subject, way, OPERATIONS).await);
                }
                let load = Load {
                    way,
                    concurrency,
                    warm_up: options.warm_up / 2,
                    length: options.slice / 2,
                };
                let mut turn = async |index: usize, subject: &_| {
                    slice(subject, load, &calls[index]).await.throughput()
                };
                rounds(1, subjects, &mut turn).await;
                let found = rounds(options.rounds, subjects, &mut turn).await;
                let [b, again, cached, uncached] = &found[..] else {
                    unreachable!("BUG: a result for each variant")
                };
                table.row([
                    place,
                    Ratio::of(cached, b).to_string(),
                    Ratio::of(uncached, b).to_string(),
                    Ratio::of(again, b).to_string(),
                    format!("{:.0}", median(b)),
                ]);
            }
        }
    }
    table.print();
}
