//! What a duplicate meets: the one table every path asks, whoever told it of the other attempt.

use crate::fingerprint::Fingerprint;

/// How the inputs of another attempt compare to ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// The same operation.
    Same,
    /// The key was reused.
    Other,
    /// Whoever runs it does not say.
    Unknown,
}

impl Inputs {
    pub(crate) fn compare(ours: &Fingerprint, theirs: &Fingerprint) -> Self {
        if ours == theirs {
            Inputs::Same
        } else {
            Inputs::Other
        }
    }
}

/// The state of a key that another attempt has, or had. A key that is free, or whose record expired
/// by the database's clock, has no duplicate to decide about: it is claimed and run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Another attempt runs.
    Running,
    /// An answer is recorded.
    Done,
}

/// What the duplicate does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Wait for the other attempt, then ask again.
    Wait,
    /// Give its answer.
    Replay,
    /// The key belongs to an operation with other inputs.
    Refuse,
}

/// Decides for the store, for local waiting and for the cache alike.
pub(crate) fn decide(state: State, inputs: Inputs) -> Verdict {
    match (state, inputs) {
        (State::Running | State::Done, Inputs::Other) => Verdict::Refuse,
        (State::Running, Inputs::Same | Inputs::Unknown) => Verdict::Wait,
        // A record always holds its fingerprint; one that cannot be compared is unreadable before
        // it gets here.
        (State::Done, Inputs::Same | Inputs::Unknown) => Verdict::Replay,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_design_holds() {
        for inputs in [Inputs::Same, Inputs::Unknown] {
            assert_eq!(decide(State::Running, inputs), Verdict::Wait);
            assert_eq!(decide(State::Done, inputs), Verdict::Replay);
        }
        assert_eq!(decide(State::Running, Inputs::Other), Verdict::Refuse);
        assert_eq!(decide(State::Done, Inputs::Other), Verdict::Refuse);
    }
}
