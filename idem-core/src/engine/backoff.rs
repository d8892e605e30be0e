//! `Backoff`: pauses between looks at what another process is doing.

use std::time::Duration;

/// The first pause: about as long as a short transaction.
const FIRST: Duration = Duration::from_millis(4);
/// The longest: what a waiting caller may lose once the other attempt is done.
const LONGEST: Duration = Duration::from_millis(100);

/// Doubling pauses with jitter, so that waiting processes do not look in step.
#[derive(Debug)]
pub(crate) struct Backoff {
    pause: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff { pause: FIRST }
    }
}

impl Backoff {
    /// The next pause: between half of the current step and all of it.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.pause.mul_f64(0.5 + fastrand::f64() / 2.0);
        self.pause = (self.pause * 2).min(LONGEST);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let mut backoff = Backoff::default();
        let pauses: Vec<_> = (0..20).map(|_| backoff.next()).collect();
        assert!(pauses[0] <= FIRST && pauses[0] >= FIRST / 2);
        assert!(pauses[19] <= LONGEST && pauses[19] >= LONGEST / 2);
    }
}
