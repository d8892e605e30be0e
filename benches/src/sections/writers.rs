//! SQLite with 16 writers at once: whether they queue, or poll and starve.

use crate::measure::{Calls, Load, Ratio, Slice, count, median, milliseconds, percentile};
use crate::measure::{rounds, slice};
use crate::options::Options;
use crate::report::Table;
use crate::stage::{Stage, Store};
use crate::subject::{Variant, Way};

pub(crate) async fn run(stage: &Stage, options: &Options) {
    if !options.wants("writers/sqlite") {
        return;
    }
    let variants = [Variant::Bare, Variant::ByHand, Variant::Attribute];
    let subjects = stage.subjects(Store::Sqlite, &variants).await;
    let load = Load {
        way: Way::Http,
        concurrency: 16,
        warm_up: options.warm_up,
        length: options.long_slice,
    };
    let mut turn = async |_, subject: &_| slice(subject, load, &Calls::Fresh).await;
    rounds(1, &subjects, &mut turn).await;
    let found = rounds(options.rounds, &subjects, &mut turn).await;

    let mut table = Table::new(
        "SQLite with 16 writers, through axum",
        [
            "variant",
            "throughput, of a's",
            "p50, ms",
            "p99, ms",
            "worst, ms",
            "p99/p50",
            "failed, %",
            "`database is locked`",
        ],
    );
    let throughput =
        |slices: &[Slice]| -> Vec<f64> { slices.iter().map(|slice| slice.per_second).collect() };
    for (name, slices) in ["a", "b", "c"].iter().zip(&found) {
        let latencies = |slice: &Slice| -> Vec<f64> {
            slice.latencies.iter().copied().map(milliseconds).collect()
        };
        let middle = |of: &dyn Fn(&[f64]) -> f64| {
            let each: Vec<f64> = slices.iter().map(|slice| of(&latencies(slice))).collect();
            median(&each)
        };
        let p50 = middle(&|all| percentile(all, 0.5));
        let p99 = middle(&|all| percentile(all, 0.99));
        let answers: usize = slices.iter().map(|slice| slice.latencies.len()).sum();
        let refusals = || slices.iter().flat_map(|slice| &slice.refusals);
        let locked = refusals().filter(|refusal| {
            let text = String::from_utf8_lossy(&refusal.body);
            text.contains("locked")
        });
        table.row([
            (*name).to_owned(),
            Ratio::of(&throughput(slices), &throughput(&found[0])).to_string(),
            format!("{p50:.1}"),
            format!("{p99:.1}"),
            format!("{:.0}", middle(&|all| percentile(all, 1.0))),
            format!("{:.1}", p99 / p50),
            format!("{:.2}", count(refusals().count()) * 100.0 / count(answers)),
            locked.count().to_string(),
        ]);
    }
    table.print();
}
