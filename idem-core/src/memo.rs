//! `Memo`: a recorded answer in its stored envelope, versioned and tagged by kind.

use bytes::Bytes;

use crate::error::{Error, Result};

/// Version of the envelope, the first stored byte.
const VERSION: u8 = 1;

/// What a memo holds; its number is the second stored byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// An HTTP response, written by the axum half.
    Http = 1,
    /// No answer: the body ended its own transaction, so nobody knows what it committed.
    Unknown = 2,
}

/// A recorded answer. Cloning shares its bytes.
#[derive(Debug, Clone)]
pub struct Memo {
    pub(crate) kind: Kind,
    pub(crate) payload: Bytes,
}

impl Memo {
    /// The memo of an operation whose outcome nobody knows.
    pub(crate) fn unknown() -> Self {
        Memo {
            kind: Kind::Unknown,
            payload: Bytes::new(),
        }
    }

    /// The stored form: version, kind, payload.
    pub(crate) fn to_stored(&self) -> Vec<u8> {
        let mut stored = Vec::with_capacity(2 + self.payload.len());
        stored.extend([VERSION, self.kind as u8]);
        stored.extend(&self.payload);
        stored
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// [`Error::MemoUnreadable`] for a version or kind this release does not know.
    pub(crate) fn from_stored(stored: Vec<u8>) -> Result<Self> {
        let kind = match stored.get(..2) {
            Some([VERSION, kind]) if *kind == Kind::Http as u8 => Kind::Http,
            Some([VERSION, kind]) if *kind == Kind::Unknown as u8 => Kind::Unknown,
            Some([VERSION, _]) => {
                return Err(Error::MemoUnreadable {
                    reason: "its kind is unknown",
                });
            }
            _ => {
                return Err(Error::MemoUnreadable {
                    reason: "its version is unknown",
                });
            }
        };
        Ok(Memo {
            kind,
            payload: Bytes::from(stored).slice(2..),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_comes_back_as_it_was_stored() {
        let memo = Memo {
            kind: Kind::Http,
            payload: Bytes::from_static(b"\0\xffbody"),
        };
        let read = Memo::from_stored(memo.to_stored()).unwrap();
        assert_eq!((read.kind, read.payload), (memo.kind, memo.payload));
    }

    #[test]
    fn unknown_envelopes_are_refused() {
        for stored in [
            &b""[..],
            b"\x01",
            b"\x01\x00",
            b"\x01\x09x",
            b"\x02\x01x",
            b"{}",
        ] {
            let refused = Memo::from_stored(stored.to_vec());
            assert!(
                matches!(refused, Err(Error::MemoUnreadable { .. })),
                "{stored:?}"
            );
        }
    }
}
