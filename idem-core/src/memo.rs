//! `Memo`: a recorded answer in its stored envelope, versioned and tagged by kind.

use bytes::{Bytes, BytesMut};

use crate::error::{Error, Result};

/// Version of the envelope, the first stored byte.
const VERSION: u8 = 1;

/// Version and kind.
const ENVELOPE_BYTES: usize = 2;

/// What a memo holds; its number is the second stored byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// An HTTP response, written by the axum half.
    Http = 1,
    /// No answer: the body ended its own transaction, so nobody knows what it committed.
    Unknown = 2,
    /// The value of a plain fn or a job.
    Value = 3,
    /// The final error of a plain fn or a job.
    FinalError = 4,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Http, Kind::Unknown, Kind::Value, Kind::FinalError];
}

/// A recorded answer in its stored form: version, kind, payload. Cloning shares its bytes.
#[derive(Debug, Clone)]
pub struct Memo {
    kind: Kind,
    stored: Bytes,
}

impl Memo {
    /// A memo whose payload, of about `size` bytes, `write` puts behind the envelope.
    pub(crate) fn new(kind: Kind, size: usize, write: impl FnOnce(&mut BytesMut)) -> Self {
        let mut stored = BytesMut::with_capacity(ENVELOPE_BYTES + size);
        stored.extend([VERSION, kind as u8]);
        write(&mut stored);
        Memo {
            kind,
            stored: stored.freeze(),
        }
    }

    /// The memo of an operation whose outcome nobody knows.
    pub(crate) fn unknown() -> Self {
        Memo::new(Kind::Unknown, 0, |_| ())
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn payload(&self) -> Bytes {
        self.stored.slice(ENVELOPE_BYTES..)
    }

    pub(crate) fn as_stored(&self) -> &[u8] {
        &self.stored
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// [`Error::MemoUnreadable`] for a version or kind this release does not know.
    pub(crate) fn from_stored(stored: Bytes) -> Result<Self> {
        let kind = match stored.get(..ENVELOPE_BYTES) {
            Some([VERSION, number]) => Kind::ALL
                .into_iter()
                .find(|kind| *kind as u8 == *number)
                .ok_or(Error::MemoUnreadable {
                    reason: "its kind is unknown",
                })?,
            _ => {
                return Err(Error::MemoUnreadable {
                    reason: "its version is unknown",
                });
            }
        };
        Ok(Memo { kind, stored })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_comes_back_as_it_was_stored() {
        let payload = b"\0\xffbody";
        let memo = Memo::new(Kind::Http, 0, |stored| stored.extend(payload));
        let read = Memo::from_stored(Bytes::copy_from_slice(memo.as_stored())).unwrap();
        assert_eq!(read.kind(), Kind::Http);
        assert_eq!(&read.payload()[..], payload);
    }

    #[test]
    fn unknown_envelopes_are_refused() {
        for stored in [
            b"".as_slice(),
            b"\x01",
            b"\x01\x00",
            b"\x01\x09x",
            b"\x02\x01x",
            b"{}",
        ] {
            let refused = Memo::from_stored(stored.into());
            assert!(
                matches!(refused, Err(Error::MemoUnreadable { .. })),
                "{stored:?}"
            );
        }
    }
}
