//! `KeyWriter`: the injective encoding of key parts, tagged and length-prefixed.

use std::fmt::Write as _;

/// One byte before each part, so that parts of different kinds never encode alike.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    Integer = 1,
    Bool = 2,
    Char = 3,
    Text = 4,
    Bytes = 5,
    None = 6,
    Some = 7,
    Tuple = 8,
    Uuid = 9,
    #[cfg(any(feature = "time", feature = "chrono"))]
    Date = 10,
    Struct = 11,
    Variant = 12,
}

/// Where a [`KeyPart`](crate::KeyPart) writes itself.
#[derive(Default)]
pub struct KeyWriter {
    pub(super) encoded: Vec<u8>,
    pub(super) readable: String,
}

impl KeyWriter {
    /// Writes an integer by its value, whatever its width.
    pub(super) fn integer(&mut self, negative: bool, magnitude: u128) {
        self.tag(Tag::Integer);
        self.encoded.push(negative.into());
        self.encoded.extend(magnitude.to_be_bytes());
        let sign = if negative { "-" } else { "" };
        self.show(format_args!("{sign}{magnitude}"));
    }

    pub(super) fn bool(&mut self, value: bool) {
        self.tag(Tag::Bool);
        self.encoded.push(value.into());
        self.show(format_args!("{value}"));
    }

    pub(super) fn char(&mut self, value: char) {
        self.tag(Tag::Char);
        self.encoded.extend(u32::from(value).to_be_bytes());
        self.show(format_args!("{}", value.escape_default()));
    }

    /// Writes text.
    pub fn text(&mut self, value: &str) {
        self.tag(Tag::Text);
        self.lengthy(value.as_bytes());
        if value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        {
            self.show(format_args!("{value}"));
        } else {
            self.show(format_args!("{}", value.escape_default()));
        }
    }

    /// Writes bytes.
    pub fn bytes(&mut self, value: &[u8]) {
        self.tag(Tag::Bytes);
        self.lengthy(value);
        self.show(format_args!("{}", value.escape_ascii()));
    }

    pub(super) fn uuid(&mut self, value: &uuid::Uuid) {
        self.tag(Tag::Uuid);
        self.encoded.extend(value.as_bytes());
        self.show(format_args!("{value}"));
    }

    #[cfg(any(feature = "time", feature = "chrono"))]
    pub(super) fn date(&mut self, year: i32, month: u8, day: u8) {
        self.tag(Tag::Date);
        self.encoded.extend(year.to_be_bytes());
        self.encoded.extend([month, day]);
        self.show(format_args!("{year:04}-{month:02}-{day:02}"));
    }

    pub(super) fn none(&mut self) {
        self.tag(Tag::None);
        self.show(format_args!("-"));
    }

    /// Announces a value that could have been absent; the value itself follows.
    pub(super) fn some(&mut self) {
        self.tag(Tag::Some);
    }

    /// Announces a tuple; its `arity` parts follow.
    pub(super) fn tuple(&mut self, arity: u8) {
        self.tag(Tag::Tuple);
        self.encoded.push(arity);
    }

    /// Announces a derived struct; its `fields` parts follow.
    #[doc(hidden)]
    pub fn begin_struct(&mut self, fields: u32) {
        self.tag(Tag::Struct);
        self.encoded.extend(fields.to_be_bytes());
    }

    /// Writes the variant of a derived enum, by its name: it survives reordering.
    #[doc(hidden)]
    pub fn variant(&mut self, name: &str) {
        self.tag(Tag::Variant);
        self.lengthy(name.as_bytes());
        self.show(format_args!("{}", name.escape_default()));
    }

    fn tag(&mut self, tag: Tag) {
        self.encoded.push(tag as u8);
    }

    fn lengthy(&mut self, bytes: &[u8]) {
        self.encoded.extend((bytes.len() as u64).to_be_bytes());
        self.encoded.extend(bytes);
    }

    fn show(&mut self, part: std::fmt::Arguments<'_>) {
        if !self.readable.is_empty() {
            self.readable.push(',');
        }
        self.readable
            .write_fmt(part)
            .expect("BUG: writing to a String cannot fail");
    }
}

/// Keys can be secrets of the client, so they are never printed.
impl std::fmt::Debug for KeyWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyWriter").finish_non_exhaustive()
    }
}
