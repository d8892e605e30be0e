//! `DerivedKey`: what an operation sends to the other side as a key of its own.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Identity;

/// Version of the digest's layout. Changing it makes other sides repeat what they did before.
const DERIVED_VERSION: &[u8] = b"idem-derived-key-1";

/// A key for a call to another system, the same on every attempt of the operation that derives it,
/// so that the other side can tell a retry from a new call.
///
/// Made by [`Tx::derive_key`](crate::Tx::derive_key). It is printed as a UUID, and can be given
/// as a header's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DerivedKey(Uuid);

impl DerivedKey {
    pub(crate) fn new(identity: &Identity, name: &str) -> Self {
        let digest = Sha256::new()
            .chain_update(DERIVED_VERSION)
            .chain_update(identity.as_bytes())
            .chain_update(name)
            .finalize();
        let bytes = digest.first_chunk().expect("BUG: a digest has 32 bytes");
        DerivedKey(uuid::Builder::from_custom_bytes(*bytes).into_uuid())
    }

    /// The key as a UUID of version 8.
    pub fn to_uuid(self) -> Uuid {
        self.0
    }
}

impl std::fmt::Display for DerivedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Whoever has the key can take its place at the other side, so it is not printed unasked.
impl std::fmt::Debug for DerivedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DerivedKey").finish_non_exhaustive()
    }
}

impl From<DerivedKey> for Uuid {
    fn from(key: DerivedKey) -> Self {
        key.0
    }
}

/// So that it can stand where a request's builder takes a header:
/// `.header("Idempotency-Key", tx.derive_key("charge"))`.
impl From<DerivedKey> for http::HeaderValue {
    fn from(key: DerivedKey) -> Self {
        let text = key.0.hyphenated().to_string();
        http::HeaderValue::try_from(text).expect("BUG: a UUID is visible ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Key;

    fn identity(key: &str) -> Identity {
        Identity::new("", "scope", &Key::new(&key).unwrap())
    }

    #[test]
    fn it_is_the_same_for_the_same_operation_and_name() {
        let key = DerivedKey::new(&identity("k"), "charge");
        assert_eq!(key, DerivedKey::new(&identity("k"), "charge"));
        assert_ne!(key, DerivedKey::new(&identity("k"), "refund"));
        assert_ne!(key, DerivedKey::new(&identity("l"), "charge"));
        // Other systems remember it: a new release must derive the same.
        assert_eq!(key.to_string(), "81c56415-994b-832c-b586-9d5e87650b0d");
    }

    #[test]
    fn every_spelling_is_the_same_uuid() {
        let key = DerivedKey::new(&identity("k"), "charge");
        assert_eq!(key.to_uuid().get_version_num(), 8);
        assert_eq!(key.to_uuid().to_string(), key.to_string());
        assert_eq!(http::HeaderValue::from(key), key.to_string());
        assert!(!format!("{key:?}").contains(&key.to_string()));
    }

    #[test]
    fn runs_without_a_key_share_none() {
        let of_run = || DerivedKey::new(&Identity::unrepeated(), "charge");
        assert_ne!(of_run(), of_run());
    }
}
