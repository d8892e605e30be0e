//! `Key`: what names one operation within its scope, and the digest that stands for it.

mod derived;
mod part;
mod writer;

pub use derived::DerivedKey;
pub use part::{KeyPart, Shared, shared};
pub use writer::KeyWriter;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// The longest key, in bytes of its encoding: about fifteen 255-byte parts. A longer one is refused
/// before any database work rather than cut, since cutting would fold keys together.
const MAX_KEY_BYTES: usize = 4096;

/// The readable form beside the digest is for people and ends here, in characters. It is ASCII, which
/// every database can store whatever its encoding.
const MAX_READABLE_CHARS: usize = 256;

/// Version of the digest's layout. Changing it frees every recorded key.
const IDENTITY_VERSION: u8 = 1;

/// An evaluated key: its injective encoding, and a readable form for people.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    encoded: Vec<u8>,
    readable: String,
}

impl Key {
    /// Encodes `part` as a key.
    ///
    /// # Errors
    /// [`Error::InvalidKey`] when the encoding is longer than 4096 bytes.
    pub(crate) fn new(part: &(impl KeyPart + ?Sized)) -> Result<Self> {
        let mut writer = KeyWriter::default();
        part.write(&mut writer);
        let KeyWriter {
            encoded,
            mut readable,
        } = writer;
        if encoded.len() > MAX_KEY_BYTES {
            return Err(Error::InvalidKey {
                reason: "it is longer than 4096 bytes",
            });
        }
        if let Some((end, _)) = readable.char_indices().nth(MAX_READABLE_CHARS) {
            readable.truncate(end);
            readable.push_str("...");
        }
        Ok(Key { encoded, readable })
    }

    pub(crate) fn into_readable(self) -> String {
        self.readable
    }
}

/// Keys can be secrets of the client, so they are never printed.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").finish_non_exhaustive()
    }
}

/// The primary key of a record: 16 bytes of SHA-256 over namespace, scope and key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity([u8; 16]);

impl Identity {
    pub(crate) fn new(namespace: &str, scope: &str, key: &Key) -> Self {
        let mut sha = Sha256::new();
        sha.update([IDENTITY_VERSION]);
        for text in [namespace, scope] {
            sha.update((text.len() as u64).to_be_bytes());
            sha.update(text);
        }
        sha.update(&key.encoded);
        let digest = sha.finalize();
        let mut kept = [0; 16];
        kept.copy_from_slice(&digest[..16]);
        Identity(kept)
    }

    /// Of a run that holds no key: no other run has it.
    pub(crate) fn unrepeated() -> Self {
        Identity(fastrand::u128(..).to_be_bytes())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The first 64 bits, for databases whose lock names are integers.
    #[cfg(feature = "postgres")]
    pub(crate) fn lock_id(&self) -> i64 {
        i64::from_be_bytes(*self.0.first_chunk().expect("BUG: an identity has 16 bytes"))
    }
}

/// The digest in hexadecimal: what logs and spans show instead of the key.
impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Identity({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(part: &impl KeyPart) -> Vec<u8> {
        Key::new(part).unwrap().encoded
    }

    #[test]
    fn parts_that_look_alike_have_different_encodings() {
        let all = [
            encoded(&("a", "bc")),
            encoded(&("ab", "c")),
            encoded(&("abc",)),
            encoded(&"abc"),
            encoded(&""),
            encoded(&None::<&str>),
            encoded(&Some("")),
            encoded(&0_i32),
            encoded(&"0"),
            encoded(&'0'),
            encoded(&false),
            encoded(&&b"0"[..]),
            encoded(&(("a", "b"), "c")),
            encoded(&("a", ("b", "c"))),
            encoded(&uuid::Uuid::nil()),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "encoding {at} is not its own");
        }
    }

    #[test]
    fn integers_are_encoded_by_value() {
        assert_eq!(encoded(&7_u8), encoded(&7_i64));
        assert_eq!(encoded(&-7_i8), encoded(&-7_i128));
        assert_ne!(encoded(&7_i8), encoded(&-7_i8));
        assert_eq!(encoded(&u128::MAX), encoded(&&u128::MAX));
    }

    /// case K13: every type has its own stable bytes, whatever it prints as.
    #[cfg(all(feature = "macros", feature = "time"))]
    #[test]
    fn each_type_has_stable_bytes() {
        use idem_macros::KeyPart;

        #[derive(KeyPart)]
        #[key_part(crate = crate)]
        struct OrderId(u64);

        #[derive(KeyPart)]
        #[key_part(crate = crate)]
        struct Line {
            order: OrderId,
            text: &'static str,
        }

        #[derive(KeyPart)]
        #[key_part(crate = crate)]
        enum Kind {
            Card,
            Bank,
        }

        let hex = |part: &dyn Fn() -> Vec<u8>| {
            let bytes = part();
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        let seven = format!("0100{}07", "00".repeat(15));
        let day = time::Date::from_calendar_date(2026, time::Month::December, 1).unwrap();
        let id = uuid::Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let cases = [
            (hex(&|| encoded(&7_u64)), seven.clone()),
            (hex(&|| encoded(&OrderId(7))), seven.clone()),
            (hex(&|| encoded(&Some(7_i64))), format!("07{seven}")),
            (hex(&|| encoded(&None::<i64>)), "06".to_owned()),
            (hex(&|| encoded(&"")), format!("04{}", "00".repeat(8))),
            (hex(&|| encoded(&"é")), "040000000000000002c3a9".to_owned()),
            (
                hex(&|| encoded(&vec![1_u8, 255])),
                "05000000000000000201ff".to_owned(),
            ),
            (hex(&|| encoded(&day)), "0a000007ea0c01".to_owned()),
            (
                hex(&|| encoded(&id)),
                "090123456789abcdef0123456789abcdef".to_owned(),
            ),
            (
                hex(&|| encoded(&Kind::Card)),
                "0c000000000000000443617264".to_owned(),
            ),
            (
                hex(&|| encoded(&Kind::Bank)),
                "0c000000000000000442616e6b".to_owned(),
            ),
            (
                hex(&|| {
                    encoded(&Line {
                        order: OrderId(7),
                        text: "",
                    })
                }),
                format!("0b00000002{seven}04{}", "00".repeat(8)),
            ),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    /// case K10: a long key is refused whole, never cut.
    #[test]
    fn a_key_beyond_the_limit_is_refused() {
        assert!(Key::new(&"k".repeat(4000)).is_ok());
        let refused = Key::new(&"k".repeat(10_240)).unwrap_err();
        assert!(matches!(refused, Error::InvalidKey { .. }));
    }

    #[test]
    fn the_readable_form_is_short_and_has_no_control_characters() {
        let key = Key::new(&("a\0\r\n\u{1b}[31m é", "x".repeat(1000))).unwrap();
        assert!(key.readable.len() <= MAX_READABLE_CHARS + "...".len());
        assert!(
            !key.readable
                .contains(|one: char| one.is_control() || !one.is_ascii())
        );
    }

    #[test]
    fn namespace_and_scope_are_part_of_the_identity() {
        let key = Key::new(&"k").unwrap();
        let one = Identity::new("", "scope", &key);
        assert_ne!(one, Identity::new("", "scop", &key));
        assert_ne!(one, Identity::new("s", "cope", &key));
        assert_eq!(one.to_string().len(), 32);
    }
}
