//! What to measure, and for how long.

use std::time::Duration;

const USAGE: &str = "usage: idem-benches [--quick] [TEXT]

Measures everything whose name contains TEXT. Names:
    memory
    first/{postgres,sqlite}/{http,engine}/{c1,c16}
    replay/{postgres,sqlite}/{http,engine}/{c1,c16}
    copies/{postgres,sqlite}/{10,100}
    cost/postgres
    writers/sqlite";

/// How long and how often things are measured.
pub(crate) struct Options {
    filter: String,
    /// How often each variant has its turn.
    pub(crate) rounds: usize,
    /// How much of a slice passes before counting begins.
    pub(crate) warm_up: Duration,
    /// How long a slice counts.
    pub(crate) slice: Duration,
    /// The same where the slowest requests are of interest.
    pub(crate) long_slice: Duration,
    /// How many operations are averaged where operations are counted, not timed.
    pub(crate) operations: usize,
    /// How many finished keys memory is measured after, at most.
    pub(crate) keys: usize,
}

impl Options {
    /// Reads the arguments; an `Err` is what to tell the user.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, &'static str> {
        let mut options = Options {
            filter: String::new(),
            rounds: 5,
            warm_up: Duration::from_millis(100),
            slice: Duration::from_millis(800),
            long_slice: Duration::from_millis(1500),
            operations: 4_000,
            keys: 100_000,
        };
        for argument in arguments {
            match argument.as_str() {
                "--quick" => {
                    options.rounds = 3;
                    options.warm_up = Duration::from_millis(40);
                    options.slice = Duration::from_millis(120);
                    options.long_slice = Duration::from_millis(400);
                    options.operations = 1_000;
                    options.keys = 25_000;
                }
                text if text.starts_with('-') => return Err(USAGE),
                text if options.filter.is_empty() => options.filter = text.to_owned(),
                _ => return Err(USAGE),
            }
        }
        Ok(options)
    }

    /// Whether a measurement of this name is wanted.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let wanted = name.contains(&self.filter);
        if wanted {
            eprintln!("measuring {name}");
        }
        wanted
    }

    /// Says what all tables have in common.
    pub(crate) fn describe(&self) -> String {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        format!(
            "a = bare handler, b = claim and record by hand, b' = b again, c = `#[idempotent]`.\n\
             Median of {} interleaved rounds of {} ms (lowest to highest), on {cores} cores.\n",
            self.rounds,
            self.slice.as_millis(),
        )
    }
}
