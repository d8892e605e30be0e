//! The known makers of fresh values. The list only sharpens messages and catches makers that
//! are given a parameter or named as a value; what it misses, the data-flow rule refuses.

use syn::{ExprPath, Ident};

use crate::syntax::name_of;

/// Why a value differs on every attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generator {
    /// A new id or random number.
    Random,
    /// The clock.
    Clock,
    /// State of this process: a counter, a thread or process id.
    Process,
}

/// Last two segments of the path of a maker; `*` stands for any type.
const FUNCTIONS: &[(&str, &str, Generator)] = &[
    ("*", "new_v1", Generator::Random),
    ("*", "new_v4", Generator::Random),
    ("*", "new_v6", Generator::Random),
    ("*", "new_v7", Generator::Random),
    ("*", "now_v1", Generator::Random),
    ("*", "now_v6", Generator::Random),
    ("*", "now_v7", Generator::Random),
    ("*", "thread_rng", Generator::Random),
    ("Ulid", "new", Generator::Random),
    ("Ulid", "generate", Generator::Random),
    ("Ulid", "from_datetime", Generator::Random),
    ("Ksuid", "new", Generator::Random),
    ("ObjectId", "new", Generator::Random),
    ("rand", "random", Generator::Random),
    ("rand", "rng", Generator::Random),
    ("rand", "random_range", Generator::Random),
    ("fastrand", "u32", Generator::Random),
    ("fastrand", "u64", Generator::Random),
    ("fastrand", "u128", Generator::Random),
    ("cuid2", "create_id", Generator::Random),
    ("cuid2", "cuid", Generator::Random),
    ("*", "now_utc", Generator::Clock),
    ("*", "now_local", Generator::Clock),
    ("Utc", "now", Generator::Clock),
    ("Local", "now", Generator::Clock),
    ("SystemTime", "now", Generator::Clock),
    ("Instant", "now", Generator::Clock),
    ("UtcDateTime", "now", Generator::Clock),
    ("Timestamp", "now", Generator::Clock),
    ("Zoned", "now", Generator::Clock),
    ("process", "id", Generator::Process),
    ("thread", "current", Generator::Process),
];

/// Macros that make ids.
const MACROS: &[&str] = &["nanoid", "ulid", "cuid", "cuid2"];

/// Methods that differ per call even on a value of the request.
const METHODS: &[(&str, Generator)] = &[("elapsed", Generator::Clock)];

/// Methods that read or change the state of a `static`.
const STATE_METHODS: &[&str] = &[
    "swap", "load", "lock", "try_lock", "read", "write", "with", "next", "gen", "sample", "now",
    "elapsed",
];

/// Starts of the names of such methods.
const STATE_METHOD_STARTS: &[&str] = &[
    "fetch_",
    "compare_exchange",
    "next_",
    "gen_",
    "generate",
    "random",
];

pub(crate) fn function(path: &ExprPath) -> Option<Generator> {
    let mut segments = path.path.segments.iter().rev();
    let last = name_of(&segments.next()?.ident);
    let owner = segments.next().map(|segment| name_of(&segment.ident));
    FUNCTIONS
        .iter()
        .find(|(of, name, _)| last == *name && (*of == "*" || owner.as_deref() == Some(*of)))
        .map(|(_, _, generator)| *generator)
}

pub(crate) fn macro_name(name: &Ident) -> Option<Generator> {
    MACROS
        .contains(&name_of(name).as_str())
        .then_some(Generator::Random)
}

pub(super) fn method(name: &Ident) -> Option<Generator> {
    let name = name_of(name);
    METHODS
        .iter()
        .find(|(known, _)| name == *known)
        .map(|(_, generator)| *generator)
}

/// Whether a method called on an upper-case name shows that the name is a `static`.
pub(super) fn state_method(name: &Ident) -> Option<Generator> {
    let name = name_of(name);
    let stateful = STATE_METHODS.contains(&name.as_str())
        || STATE_METHOD_STARTS
            .iter()
            .any(|start| name.starts_with(start));
    stateful.then_some(Generator::Process)
}
