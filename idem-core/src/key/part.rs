//! `KeyPart`: the types that may stand in a key, and `shared` for keys without a caller.

use std::borrow::Cow;
use std::sync::Arc;

use super::KeyWriter;

/// A value that may stand in a key: it has one encoding, the same on every attempt.
///
/// Implemented for integers (by value, so widening a field keeps its keys), `bool`, `char`, text,
/// byte strings, `Uuid`, dates without time (features `time` and `chrono`), `Option`, references
/// and tuples of up to eight parts. Not for floats, `Instant`, `SystemTime` or date-times, which do
/// not come back the same from every client, clock or database.
///
/// `#[derive(KeyPart)]` implements it for structs of key parts and for enums whose variants hold
/// nothing.
///
/// The encoding is injective: `("a", "bc")`, `("ab", "c")`, `None`, `""` and `0` all differ.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of an idempotency key",
    label = "not a key part",
    note = "why: a key must come back byte for byte on every retry, which floats, clocks and date-times do not",
    note = "fix: use an integer, text, `Uuid`, date, byte string, or a tuple of them, such as an id of the operation",
    note = "fix: `#[derive(KeyPart)]` on a type of your own that is made of these"
)]
pub trait KeyPart {
    /// Writes this value's parts.
    fn write(&self, key: &mut KeyWriter);
}

macro_rules! integers {
    ($($signed:ty, $unsigned:ty;)*) => {$(
        impl KeyPart for $signed {
            fn write(&self, key: &mut KeyWriter) {
                // Lossless on every supported platform: no integer is wider than 128 bits.
                key.integer(*self < 0, self.unsigned_abs() as u128);
            }
        }
        impl KeyPart for $unsigned {
            fn write(&self, key: &mut KeyWriter) {
                key.integer(false, *self as u128);
            }
        }
    )*};
}
integers! { i8, u8; i16, u16; i32, u32; i64, u64; i128, u128; isize, usize; }

macro_rules! tuples {
    ($($arity:literal: $($part:ident $index:tt)*;)*) => {$(
        impl<$($part: KeyPart),*> KeyPart for ($($part,)*) {
            fn write(&self, key: &mut KeyWriter) {
                key.tuple($arity);
                $(self.$index.write(key);)*
            }
        }
    )*};
}
tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
    7: A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

macro_rules! forwarding {
    ($([$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> KeyPart for $pointer {
            fn write(&self, key: &mut KeyWriter) {
                (**self).write(key);
            }
        }
    )*};
}
forwarding! {
    [T: KeyPart + ?Sized] &T;
    [T: KeyPart + ?Sized] &mut T;
    [T: KeyPart + ?Sized] Box<T>;
    [T: KeyPart + ?Sized] Arc<T>;
    [T: KeyPart + ToOwned + ?Sized] Cow<'_, T>;
    [] String;
    [] Vec<u8>;
    [] bytes::Bytes;
}

impl KeyPart for str {
    fn write(&self, key: &mut KeyWriter) {
        key.text(self);
    }
}

impl KeyPart for [u8] {
    fn write(&self, key: &mut KeyWriter) {
        key.bytes(self);
    }
}

impl<const N: usize> KeyPart for [u8; N] {
    fn write(&self, key: &mut KeyWriter) {
        key.bytes(self);
    }
}

impl KeyPart for bool {
    fn write(&self, key: &mut KeyWriter) {
        key.bool(*self);
    }
}

impl KeyPart for char {
    fn write(&self, key: &mut KeyWriter) {
        key.char(*self);
    }
}

impl KeyPart for uuid::Uuid {
    fn write(&self, key: &mut KeyWriter) {
        key.uuid(self);
    }
}

impl<T: KeyPart> KeyPart for Option<T> {
    fn write(&self, key: &mut KeyWriter) {
        match self {
            Some(part) => {
                key.some();
                part.write(key);
            }
            None => key.none(),
        }
    }
}

#[cfg(feature = "time")]
impl KeyPart for time::Date {
    fn write(&self, key: &mut KeyWriter) {
        key.date(self.year(), self.month().into(), self.day());
    }
}

#[cfg(feature = "chrono")]
impl KeyPart for chrono::NaiveDate {
    fn write(&self, key: &mut KeyWriter) {
        use chrono::Datelike as _;
        // Both are at most 31.
        key.date(self.year(), self.month() as u8, self.day() as u8);
    }
}

/// A key that deliberately belongs to no caller; made by [`shared`].
#[derive(Debug, Clone, Copy)]
pub struct Shared<T>(T);

/// Says that every caller shares these keys: an API with one caller, or a webhook whose sender was
/// verified before.
///
/// Without it an axum operation's key must hold a part of a `Caller` parameter, since any client
/// can choose any header, path or body value, and would get, or block, another customer's answer.
pub fn shared<T: KeyPart>(part: T) -> Shared<T> {
    Shared(part)
}

impl<T: KeyPart> KeyPart for Shared<T> {
    fn write(&self, key: &mut KeyWriter) {
        self.0.write(key);
    }
}
