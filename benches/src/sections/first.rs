//! First executions: how much of the bare handler's throughput is left.

use crate::measure::{Calls, Load, Ratio, median, rounds, slice};
use crate::options::Options;
use crate::report::Table;
use crate::stage::{Stage, Store};
use crate::subject::{Variant, Way};

const VARIANTS: [Variant; 4] = [
    Variant::Bare,
    Variant::ByHand,
    Variant::ByHandAgain,
    Variant::Attribute,
];

pub(crate) async fn run(stage: &Stage, options: &Options) {
    let mut table = Table::new(
        "First execution: throughput as a share of another variant's",
        ["where", "c/b", "b'/b (noise)", "b/a", "c/a", "a per second"],
    );
    for store in Store::ALL {
        let mut subjects = None;
        for way in [Way::Http, Way::Engine] {
            for concurrency in [1, 16] {
                let place = format!("{}/{}/c{concurrency}", store.name(), way.name());
                if !options.wants(&format!("first/{place}")) {
                    continue;
                }
                if subjects.is_none() {
                    subjects = Some(stage.subjects(store, &VARIANTS).await);
                }
                let subjects = subjects.as_deref().unwrap_or_default();
                let load = Load {
                    way,
                    concurrency,
                    warm_up: options.warm_up,
                    length: options.slice,
                };
                let mut turn =
                    async |_, subject: &_| slice(subject, load, &Calls::Fresh).await.throughput();
                // Opens connections and fills caches.
                rounds(1, subjects, &mut turn).await;
                let found = rounds(options.rounds, subjects, &mut turn).await;
                let [a, b, again, c] = &found[..] else {
                    unreachable!("BUG: a result for each variant")
                };
                table.row([
                    place,
                    Ratio::of(c, b).to_string(),
                    Ratio::of(again, b).to_string(),
                    Ratio::of(b, a).to_string(),
                    Ratio::of(c, a).to_string(),
                    format!("{:.0}", median(a)),
                ]);
            }
        }
    }
    table.print();
}
