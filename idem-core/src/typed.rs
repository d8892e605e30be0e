//! Answers that are values: how a fn's `Ok`, or its final error, becomes a memo and comes back.
//!
//! The text is RON: it names fields and variants, so that a memo of another shape is refused and
//! never misread, and it keeps what JSON loses: 128-bit integers, infinities, maps with any key, and
//! `None` apart from `()` and `Some(())`. All NaNs are one.
//! <https://github.com/ron-rs/ron/blob/master/docs/grammar.md>

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::memo::{Kind, Memo};

/// How values of one type are written and read.
pub(crate) struct Codec<T> {
    pub(crate) write: fn(&T) -> Result<String>,
    pub(crate) read: fn(&[u8]) -> Result<T>,
}

impl<T> std::fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Codec").finish_non_exhaustive()
    }
}

impl<T: Serialize + DeserializeOwned> Codec<T> {
    pub(crate) const NEW: Self = Codec {
        write: write::<T>,
        read: read::<T>,
    };
}

impl<T> Codec<T> {
    /// The memo of `value`.
    ///
    /// # Errors
    /// [`Error::MemoTooLarge`] beyond `limit_bytes`; [`Error::MemoUnwritable`] for a value that
    /// cannot be written, or not read again.
    pub(crate) fn memo(&self, kind: Kind, value: &T, limit_bytes: usize) -> Result<Memo> {
        let text = (self.write)(value)?;
        if text.len() > limit_bytes {
            return Err(Error::MemoTooLarge { limit_bytes });
        }
        (self.read)(text.as_bytes()).map_err(|error| {
            Error::unwritable("it cannot be read again from what it was written as", error)
        })?;
        Ok(Memo::new(kind, text.len(), |stored| {
            stored.extend_from_slice(text.as_bytes());
        }))
    }
}

fn write<T: Serialize>(value: &T) -> Result<String> {
    ron::ser::to_string(value).map_err(|error| Error::unwritable("it cannot be written", error))
}

fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T> {
    ron::de::from_bytes(text).map_err(|_| Error::MemoUnreadable {
        // The parser's own message quotes the answer.
        reason: "it is not of the type that the operation returns now",
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};
    use std::fmt::Debug;

    use serde::Deserialize;

    use super::*;

    const LIMIT: usize = 1 << 20;

    fn there_and_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
        let codec = Codec::<T>::NEW;
        let memo = codec.memo(Kind::Value, value, LIMIT).unwrap();
        (codec.read)(&memo.payload()).unwrap()
    }

    #[track_caller]
    fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
        assert_eq!(there_and_back(value), *value);
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Unit,
        Newtype(Option<u8>),
        Tuple(i128, ()),
        Struct {
            name: String,
            inner: Option<Box<Shape>>,
        },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Unit;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flat {
        id: u64,
        #[serde(flatten)]
        rest: BTreeMap<String, String>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Kebab {
        amount_in_cents: u64,
        #[serde(rename = "type")]
        kind: String,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        One { value: u32 },
        Other,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Number(u64),
        Text(String),
    }

    #[test]
    fn values_that_look_alike_come_back_as_themselves() {
        comes_back(&());
        comes_back(&None::<()>);
        comes_back(&Some(()));
        comes_back(&Some(None::<u8>));
        comes_back(&Some(Some(0_u8)));
        comes_back(&0_u8);
        comes_back(&String::new());
        comes_back(&String::from("a\0b \"quoted\" \\ \u{1f980}"));
        comes_back(&false);
        comes_back(&'\0');
        comes_back(&Unit);
        comes_back(&vec![(); 3]);
        comes_back(&Shape::Unit);
        comes_back(&Shape::Newtype(None));
        comes_back(&Shape::Newtype(Some(0)));
        comes_back(&Shape::Tuple(i128::MIN, ()));
        comes_back(&Shape::Struct {
            name: String::new(),
            inner: Some(Box::new(Shape::Unit)),
        });
    }

    #[test]
    fn extreme_numbers_come_back() {
        comes_back(&u128::MAX);
        comes_back(&i128::MIN);
        comes_back(&u64::MAX);
        comes_back(&i64::MIN);
        for bits in [
            0,
            1 << 63,
            1,
            f64::MAX.to_bits(),
            f64::MIN_POSITIVE.to_bits(),
            0x3fb9_9999_9999_999a,
        ] {
            let value = f64::from_bits(bits);
            assert_eq!(there_and_back(&value).to_bits(), bits, "{value}");
        }
        comes_back(&f32::MIN_POSITIVE);
    }

    /// case S08: what JSON turns into null.
    #[test]
    fn floats_that_are_no_numbers_come_back() {
        #[derive(Serialize, Deserialize)]
        struct Stats {
            mean: f64,
            max: f64,
            zero: f64,
        }
        let back = there_and_back(&Stats {
            mean: f64::NAN,
            max: f64::INFINITY,
            zero: -0.0,
        });
        assert!(back.mean.is_nan());
        assert!(back.max.is_infinite() && back.max.is_sign_positive());
        assert_eq!(back.zero.to_bits(), (-0.0_f64).to_bits());
        comes_back(&f64::NEG_INFINITY);
    }

    #[test]
    fn collections_and_serde_shapes_come_back() {
        comes_back(&BTreeMap::from([((1, true), "a".to_owned())]));
        comes_back(&BTreeMap::from([(Some(1), vec![0_u8, 255])]));
        comes_back(&HashSet::from([1, 2, 3]));
        comes_back(&Flat {
            id: 7,
            rest: BTreeMap::from([("a".into(), "b".into())]),
        });
        comes_back(&Kebab {
            amount_in_cents: 1,
            kind: "x".into(),
        });
        comes_back(&Tagged::One { value: 1 });
        comes_back(&Tagged::Other);
        comes_back(&Untagged::Number(7));
        comes_back(&Untagged::Text("7".into()));
        comes_back(&serde_json::json!({"a": [1, 2.5, null, "x", {"b": true}]}));
    }

    #[test]
    fn what_does_not_come_back_is_refused_before_it_is_recorded() {
        #[derive(Serialize, Deserialize)]
        struct OneWay {
            #[serde(skip_serializing)]
            secret: u8,
        }
        let one_way = OneWay { secret: 1 };
        assert_eq!(one_way.secret, 1);
        let refused = Codec::<OneWay>::NEW.memo(Kind::Value, &one_way, LIMIT);
        assert!(matches!(refused, Err(Error::MemoUnwritable { .. })));
    }

    #[test]
    fn a_value_of_another_type_is_unreadable() {
        let memo = Codec::<(u8, String)>::NEW
            .memo(Kind::Value, &(1, "a".into()), LIMIT)
            .unwrap();
        let read = (Codec::<Shape>::NEW.read)(&memo.payload());
        assert!(matches!(read, Err(Error::MemoUnreadable { .. })));
    }

    #[test]
    fn the_limit_counts() {
        let text = "x".repeat(100);
        let refused = Codec::<String>::NEW.memo(Kind::Value, &text, 50);
        assert!(matches!(
            refused,
            Err(Error::MemoTooLarge { limit_bytes: 50 })
        ));
    }
}
