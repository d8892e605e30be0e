//! `Names`: what tells the jobs of one run from each other, and from those of any other run.

use sha2::{Digest, Sha256};

use crate::key::Identity;

/// Version of the digest's layout.
const VERSION: &[u8] = b"idem-job-1";

/// Of one run of an operation. The operation's identity alone would not do: after `ttl` it runs
/// anew, and its jobs of today are not those of yesterday, whose rows are still there.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// What no other run has; made when the first job is named.
    birth: Option<u128>,
    /// How many jobs have names.
    count: u64,
}

impl Names {
    /// Names the next job, for the column `idempotency_key`.
    pub(crate) fn next(&mut self, operation: &Identity, queue: &str) -> String {
        let birth = *self.birth.get_or_insert_with(|| fastrand::u128(..));
        self.count += 1;
        let digest = Sha256::new()
            .chain_update(VERSION)
            .chain_update(operation.as_bytes())
            .chain_update(birth.to_be_bytes())
            .chain_update(self.count.to_be_bytes())
            .chain_update(queue)
            .finalize();
        digest[..16]
            .iter()
            .fold(String::from("idem-"), |name, byte| {
                format!("{name}{byte:02x}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Key;

    #[test]
    fn no_two_jobs_have_one_name() {
        let operation = Identity::new("", "scope", &Key::new(&"k").unwrap());
        let (mut run, mut later) = (Names::default(), Names::default());
        let mut names = Vec::new();
        for queue in ["a", "a", "b"] {
            names.push(run.next(&operation, queue));
            names.push(later.next(&operation, queue));
        }
        assert!(names.iter().all(|name| name.len() == "idem-".len() + 32));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 6);
    }
}
