//! `Fingerprint`: the digest of an operation's inputs, which must match when its key is reused.

mod canonical;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// Version of the canonical form below. Records written with another one cannot be compared.
const VERSION: u8 = 1;

/// A versioned SHA-256 over the operation's inputs in canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; Self::LENGTH]);

impl Fingerprint {
    /// One version byte and 32 of digest.
    pub(crate) const LENGTH: usize = 33;

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads a stored fingerprint.
    ///
    /// # Errors
    /// [`Error::MemoUnreadable`] when it is damaged or of another version: the inputs cannot be
    /// compared, so nothing may be replayed on a guess.
    pub(crate) fn from_stored(bytes: &[u8]) -> Result<Self> {
        match <[u8; Self::LENGTH]>::try_from(bytes) {
            Ok(bytes @ [VERSION, ..]) => Ok(Fingerprint(bytes)),
            _ => Err(Error::MemoUnreadable {
                reason: "its fingerprint is of an unknown version",
            }),
        }
    }

    /// 64 bits of this operation's key together with its inputs, for locks named by integers.
    #[cfg(feature = "postgres")]
    pub(crate) fn lock_id(&self, identity: &crate::key::Identity) -> i64 {
        let digest = Sha256::new()
            .chain_update(identity.as_bytes())
            .chain_update(self.0)
            .finalize();
        i64::from_be_bytes(*digest.first_chunk().expect("BUG: SHA-256 has 32 bytes"))
    }
}

/// Gathers an operation's inputs in order.
#[derive(Debug, Default)]
pub struct FingerprintWriter {
    canonical: Vec<u8>,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    failure: Option<canonical::Failure>,
}

impl FingerprintWriter {
    /// Starts with what every HTTP operation matches on: method and path.
    #[cfg(feature = "axum")]
    pub(crate) fn request(method: &http::Method, path: &str) -> Self {
        let mut writer = Self::default();
        writer.value(method.as_str());
        writer.value(path);
        writer
    }

    /// Writes the query, parsed and sorted by name; values of one name keep their order.
    #[cfg(feature = "axum")]
    pub(crate) fn query(&mut self, query: Option<&str>) {
        let mut pairs: Vec<_> =
            form_urlencoded::parse(query.unwrap_or_default().as_bytes()).collect();
        pairs.sort_by(|one, other| one.0.cmp(&other.0));
        self.value(&pairs);
    }

    /// Writes one input.
    pub fn value<T: Serialize + ?Sized>(&mut self, value: &T) {
        match canonical::encode(value) {
            Ok(bytes) => self.canonical.extend(bytes),
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Writes one input of opaque bytes.
    pub fn bytes(&mut self, value: &[u8]) {
        canonical::encode_bytes(&mut self.canonical, value);
    }

    /// Writes one named member of a struct; the order of members does not count, and a null one is
    /// the same as an absent one. [`end_struct`](Self::end_struct) ends the struct.
    pub fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        match canonical::encode(value) {
            Ok(bytes) => self.fields.push((canonical::encode_text(name), bytes)),
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Ends a struct whose members were written by [`field`](Self::field).
    pub fn end_struct(&mut self) {
        canonical::encode_map(&mut self.canonical, std::mem::take(&mut self.fields));
    }

    /// # Errors
    /// [`Error::NotReady`] when an input refused to be serialized.
    pub(crate) fn finish(self) -> Result<Fingerprint> {
        if let Some(failure) = self.failure {
            return Err(Error::NotReady {
                reason: "an input of the operation cannot be serialized for its fingerprint".into(),
                source: Some(failure.into()),
            });
        }
        let mut bytes = [VERSION; Fingerprint::LENGTH];
        bytes[1..].copy_from_slice(&Sha256::digest(&self.canonical));
        Ok(Fingerprint(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn of<T: Serialize + ?Sized>(value: &T) -> Fingerprint {
        let mut writer = FingerprintWriter::default();
        writer.value(value);
        writer.finish().unwrap()
    }

    fn json(text: &str) -> Fingerprint {
        of(&serde_json::from_str::<serde_json::Value>(text).unwrap())
    }

    /// case K04: the parsed value counts, so member order and white space do not.
    #[test]
    fn member_order_does_not_count_at_any_depth() {
        assert_eq!(
            json(r#"{"a":1,"b":{"x":1,"y":2}}"#),
            json(r#"{ "b": {"y":2, "x":1}, "a": 1 }"#)
        );
    }

    /// case K05: one documented answer for each pair.
    #[test]
    fn arrays_keep_their_order_and_null_is_absent() {
        assert_ne!(json("[1,2]"), json("[2,1]"));
        assert_eq!(json(r#"{"a":null}"#), json("{}"));
        assert_ne!(json("[null]"), json("[]"));
        assert_eq!(json("1"), json("1.0"));
        assert_eq!(json("1"), json("1e0"));
        assert_ne!(json("1"), json("1.5"));
        assert_eq!(json(r#"{"a":1,"a":2}"#), json(r#"{"a":2}"#));
        assert_ne!(json("\"\u{e9}\""), json("\"e\u{301}\""));
        assert_ne!(json("\"1\""), json("1"));
    }

    #[test]
    fn an_added_optional_field_keeps_the_fingerprint() {
        #[derive(Serialize)]
        struct Before {
            order: &'static str,
        }
        #[derive(Serialize)]
        struct After {
            note: Option<&'static str>,
            order: &'static str,
        }
        assert_eq!(
            of(&Before { order: "a" }),
            of(&After {
                note: None,
                order: "a"
            })
        );
        assert_ne!(
            of(&Before { order: "a" }),
            of(&After {
                note: Some("n"),
                order: "a"
            })
        );
    }

    #[test]
    fn variants_with_absent_content_stay_apart() {
        #[derive(Serialize)]
        enum Choice {
            A(Option<u8>),
            B(Option<u8>),
            C,
        }
        assert_ne!(of(&Choice::A(None)), of(&Choice::B(None)));
        assert_ne!(of(&Choice::A(None)), of(&Choice::C));
        assert_ne!(of(&Choice::A(Some(1))), of(&Choice::A(Some(2))));
    }

    #[test]
    fn maps_of_any_key_and_all_numbers_are_inputs() {
        let one = BTreeMap::from([((1, 2), u128::MAX)]);
        let other = BTreeMap::from([((2, 1), u128::MAX)]);
        assert_ne!(of(&one), of(&other));
        assert_eq!(of(&f64::NAN), of(&-f64::NAN));
        assert_ne!(of(&f64::INFINITY), of(&f64::NEG_INFINITY));
        assert_eq!(of(&-0.0), of(&0));
    }

    #[test]
    fn nesting_is_injective() {
        assert_ne!(of(&(("a", "b"), "c")), of(&("a", ("b", "c"))));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }

    #[test]
    fn an_input_that_refuses_to_serialize_is_an_error() {
        struct Refuses;
        impl Serialize for Refuses {
            fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(serde::ser::Error::custom("not me"))
            }
        }
        let mut writer = FingerprintWriter::default();
        writer.value(&Refuses);
        assert!(matches!(writer.finish(), Err(Error::NotReady { .. })));
    }

    #[test]
    fn fields_of_a_struct_are_sorted() {
        let mut one = FingerprintWriter::default();
        one.field("a", &1);
        one.field("b", &None::<u8>);
        one.field("c", &3);
        one.end_struct();
        let mut other = FingerprintWriter::default();
        other.field("c", &3);
        other.field("a", &1);
        other.end_struct();
        assert_eq!(one.finish().unwrap(), other.finish().unwrap());
    }
}
