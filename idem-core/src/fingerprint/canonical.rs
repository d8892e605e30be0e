//! The canonical form of a serialized value: one byte string for all spellings of the same input.
//!
//! Maps are sorted and a null member is dropped; arrays keep their order; numbers count by value,
//! so `1`, `1.0` and `1e0` are one; text counts by its bytes, unnormalised. Every element starts
//! with a tag and ends by its own length or end mark, so no two values share a form.

use serde::ser::{self, Serialize};

/// Why a value has no canonical form: its own `Serialize` refused.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Failure(String);

impl ser::Error for Failure {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Failure(message.to_string())
    }
}

const NULL: &[u8] = b"n";

pub(super) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    value.serialize(Canonical(&mut out))?;
    Ok(out)
}

pub(super) fn encode_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    lengthy(out, b'b', bytes);
}

pub(super) fn encode_text(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    lengthy(&mut out, b's', text.as_bytes());
    out
}

/// Writes encoded members sorted by name, without the null ones.
pub(super) fn encode_map(out: &mut Vec<u8>, mut members: Vec<(Vec<u8>, Vec<u8>)>) {
    members.retain(|(_, value)| value != NULL);
    members.sort();
    out.push(b'{');
    for (name, value) in members {
        out.extend(name);
        out.extend(value);
    }
    out.push(b'}');
}

fn lengthy(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    out.extend((bytes.len() as u64).to_be_bytes());
    out.extend(bytes);
}

fn integer(out: &mut Vec<u8>, negative: bool, magnitude: u128) {
    out.push(b'i');
    out.push(negative.into());
    out.extend(magnitude.to_be_bytes());
}

struct Canonical<'a>(&'a mut Vec<u8>);

macro_rules! integers {
    ($($method:ident($type:ty) $negative:expr;)*) => {$(
        fn $method(self, value: $type) -> Result<(), Failure> {
            let negative: fn($type) -> bool = $negative;
            integer(self.0, negative(value), i128::from(value).unsigned_abs());
            Ok(())
        }
    )*};
}

impl<'a> ser::Serializer for Canonical<'a> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Elements<'a>;
    type SerializeTuple = Elements<'a>;
    type SerializeTupleStruct = Elements<'a>;
    type SerializeTupleVariant = Elements<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    integers! {
        serialize_i8(i8) |value| value < 0;
        serialize_i16(i16) |value| value < 0;
        serialize_i32(i32) |value| value < 0;
        serialize_i64(i64) |value| value < 0;
        serialize_i128(i128) |value| value < 0;
        serialize_u8(u8) |_| false;
        serialize_u16(u16) |_| false;
        serialize_u32(u32) |_| false;
        serialize_u64(u64) |_| false;
    }

    fn serialize_u128(self, value: u128) -> Result<(), Failure> {
        integer(self.0, false, value);
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Failure> {
        self.0.push(if value { b't' } else { b'F' });
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Failure> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Failure> {
        // Beyond 2^127 a float is written by its bits; below, a whole one is that integer.
        if value.fract() == 0.0 && value.abs() < 2f64.powi(127) {
            // Exact: the value is whole and in range.
            integer(self.0, value < 0.0, value.abs() as u128);
        } else {
            // All NaNs are one input.
            let bits = if value.is_nan() {
                f64::NAN.to_bits()
            } else {
                value.to_bits()
            };
            self.0.push(b'f');
            self.0.extend(bits.to_be_bytes());
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Failure> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Failure> {
        lengthy(self.0, b's', value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Failure> {
        encode_bytes(self.0, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Failure> {
        self.0.extend(NULL);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Failure> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Failure> {
        self.serialize_none()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Failure> {
        lengthy(self.0, b'u', variant.as_bytes());
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        lengthy(self.0, b'v', variant.as_bytes());
        value.serialize(self)
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Elements<'a>, Failure> {
        self.0.push(b'[');
        Ok(Elements(self.0))
    }

    fn serialize_tuple(self, length: usize) -> Result<Elements<'a>, Failure> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        length: usize,
    ) -> Result<Elements<'a>, Failure> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Elements<'a>, Failure> {
        lengthy(self.0, b'v', variant.as_bytes());
        self.serialize_seq(Some(length))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Members<'a>, Failure> {
        Ok(Members {
            out: self.0,
            members: Vec::new(),
        })
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<Members<'a>, Failure> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Members<'a>, Failure> {
        lengthy(self.0, b'v', variant.as_bytes());
        self.serialize_map(Some(length))
    }
}

/// A sequence being written straight to the output.
struct Elements<'a>(&'a mut Vec<u8>);

impl Elements<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        value.serialize(Canonical(self.0))
    }

    fn close(self) {
        self.0.push(b']');
    }
}

macro_rules! elements {
    ($($trait:ident::$method:ident)*) => {$(
        impl ser::$trait for Elements<'_> {
            type Ok = ();
            type Error = Failure;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
                self.element(value)
            }
            fn end(self) -> Result<(), Failure> {
                self.close();
                Ok(())
            }
        }
    )*};
}
elements! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

/// A map being gathered, since its members are sorted before they are written.
struct Members<'a> {
    out: &'a mut Vec<u8>,
    members: Vec<(Vec<u8>, Vec<u8>)>,
}

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        self.members.push((encode(key)?, Vec::new()));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        let (_, slot) = self
            .members
            .last_mut()
            .ok_or_else(|| ser::Error::custom("value first"))?;
        *slot = encode(value)?;
        Ok(())
    }

    fn end(self) -> Result<(), Failure> {
        encode_map(self.out, self.members);
        Ok(())
    }
}

macro_rules! fields {
    ($($trait:ident)*) => {$(
        impl ser::$trait for Members<'_> {
            type Ok = ();
            type Error = Failure;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Failure> {
                self.members.push((encode_text(name), encode(value)?));
                Ok(())
            }
            fn end(self) -> Result<(), Failure> {
                encode_map(self.out, self.members);
                Ok(())
            }
        }
    )*};
}
fields! { SerializeStruct SerializeStructVariant }
