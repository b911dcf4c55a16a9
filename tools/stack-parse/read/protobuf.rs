//! Messages of protocol buffers: fields with numbers, one after the other.
//!
//! A message does not have the names of its fields. Each format declares those that it reads with
//! [`messages`].

mod stream;

pub(crate) use stream::{Broken, Next, Stream};

use super::bytes::{Bytes, Ended};

/// The number of a field in its message. Only [`messages`] makes them, so that each has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FieldNumber(u64);

impl FieldNumber {
    /// The field that [`messages`] declares with this number.
    pub(crate) const fn declared(number: u64) -> FieldNumber {
        FieldNumber(number)
    }

    /// The number, to compare it with those that a message may have.
    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

/// The fields of a message by their names.
pub(crate) type Names = &'static [(&'static str, FieldNumber)];

/// Declares messages, and the names and numbers of their fields that are read: a module for each
/// message has a constant for each field, a list of them by their names, and a function that reads
/// the message.
macro_rules! messages {
    ($($(#[$doc:meta])* $message:ident { $($field:ident = $number:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        pub(super) mod $message {
            use crate::read::protobuf::{FieldNumber, Malformed, Message, Names, size};
            $(pub(crate) const $field: FieldNumber = FieldNumber::declared($number);)*

            #[allow(dead_code, reason = "most formats are not written as JSON, too")]
            pub(crate) const NAMES: Names = &[$((stringify!($field), $field)),*];

            /// The fields of such a message.
            pub(crate) type Said<'a> = Message<'a, { size(&[$($field),*]) }>;

            #[allow(dead_code, reason = "some messages are read field by field")]
            pub(crate) fn read(message: &[u8]) -> Result<Said<'_>, Malformed> {
                Message::read(message)
            }
        }
    )*};
}
pub(crate) use messages;

/// The size of a list with an entry for each of these numbers.
pub(crate) const fn size(fields: &[FieldNumber]) -> usize {
    let (mut at, mut size) = (0, 0);
    while at < fields.len() {
        let number = fields[at].0 as usize;
        size = if number < size { size } else { number + 1 };
        at += 1;
    }
    size
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// A number, of any type but a floating one.
    Number(u64),
    /// A string, a message, or several numbers.
    Bytes(&'a [u8]),
}

/// The message ends within a field, or has something else in place of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl From<Ended> for Malformed {
    fn from(_: Ended) -> Malformed {
        Malformed
    }
}

/// The fields of a message, up to one that is malformed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    rest: Bytes<'a>,
    is_malformed: bool,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(message: &'a [u8]) -> Fields<'a> {
        Fields { rest: Bytes(message), is_malformed: false }
    }

    /// The bytes that were not read yet; they begin with the malformed field, if there was one.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest.0
    }

    /// The number of the next field, its value, and the bytes after it.
    fn field(&self) -> Result<(FieldNumber, Value<'a>, Bytes<'a>), Malformed> {
        let mut bytes = self.rest;
        let tag = bytes.varint()?;
        let value = match tag & 7 {
            0 => Value::Number(bytes.varint()?),
            1 => Value::Number(bytes.u64()?),
            2 => {
                let length = usize::try_from(bytes.varint()?).map_err(|_| Malformed)?;
                Value::Bytes(bytes.take(length)?)
            }
            5 => Value::Number(bytes.u32()?.into()),
            _ => return Err(Malformed),
        };
        if tag >> 3 == 0 { Err(Malformed) } else { Ok((FieldNumber(tag >> 3), value, bytes)) }
    }
}

impl<'a> Iterator for Fields<'a> {
    /// The number of the field and its value.
    type Item = Result<(FieldNumber, Value<'a>), Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.is_malformed {
            return None;
        }
        let field = self.field();
        self.is_malformed = field.is_err();
        Some(field.map(|(number, value, rest)| {
            self.rest = rest;
            (number, value)
        }))
    }
}

impl<'a> Value<'a> {
    /// The number; 0 if the field holds bytes.
    pub(crate) fn number(self) -> u64 {
        match self {
            Value::Number(number) => number,
            Value::Bytes(_) => 0,
        }
    }

    /// The bytes; empty if the field holds a number.
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Value::Number(_) => &[],
            Value::Bytes(bytes) => bytes,
        }
    }

    /// Appends the numbers of a repeated field, which are all in one field or each in its own.
    #[inline]
    pub(crate) fn append_numbers(self, numbers: &mut Vec<u64>) -> Result<(), Malformed> {
        match self {
            Value::Number(number) => numbers.push(number),
            Value::Bytes(bytes) => {
                let mut bytes = Bytes(bytes);
                while !bytes.is_empty() {
                    numbers.push(bytes.varint()?);
                }
            }
        }
        Ok(())
    }
}

/// The fields of a message, by their numbers; of a repeated one, the last.
pub(crate) struct Message<'a, const N: usize>([Option<Value<'a>>; N]);

impl<'a, const N: usize> Message<'a, N> {
    /// Reads the fields with numbers below `N`.
    pub(crate) fn read(message: &'a [u8]) -> Result<Message<'a, N>, Malformed> {
        let mut fields = [None; N];
        for field in Fields::of(message) {
            let (number, value) = field?;
            if let Some(field) = usize::try_from(number.0).ok().and_then(|it| fields.get_mut(it)) {
                *field = Some(value);
            }
        }
        Ok(Message(fields))
    }

    fn value(&self, field: FieldNumber) -> Option<Value<'a>> {
        self.0[field.0 as usize]
    }

    /// The number in a field; `None` if the field is missing.
    pub(crate) fn known(&self, field: FieldNumber) -> Option<u64> {
        self.value(field).map(Value::number)
    }

    /// The number in a field, or 0.
    pub(crate) fn number(&self, field: FieldNumber) -> u64 {
        self.known(field).unwrap_or_default()
    }

    /// The numbers in these fields, or 0.
    pub(crate) fn numbers<const M: usize>(&self, fields: [FieldNumber; M]) -> [u64; M] {
        fields.map(|field| self.number(field))
    }

    /// The number in a field, or 0; it may be negative.
    pub(crate) fn signed(&self, field: FieldNumber) -> i64 {
        self.number(field).cast_signed()
    }

    /// The bytes in a field; empty if the field is missing.
    pub(crate) fn bytes(&self, field: FieldNumber) -> &'a [u8] {
        self.value(field).map(Value::bytes).unwrap_or_default()
    }

    /// The message in a field; `None` if the field is missing.
    pub(crate) fn message(&self, field: FieldNumber) -> Option<&'a [u8]> {
        match self.value(field) {
            Some(Value::Bytes(message)) => Some(message),
            Some(Value::Number(_)) | None => None,
        }
    }
}

/// The messages in all fields with this number.
pub(crate) fn repeated(
    message: &[u8],
    wanted: FieldNumber,
) -> impl Iterator<Item = Result<&[u8], Malformed>> {
    Fields::of(message).filter_map(move |field| match field {
        Ok((number, value)) if number == wanted => Some(Ok(value.bytes())),
        Ok(_) => None,
        Err(malformed) => Some(Err(malformed)),
    })
}

/// The numbers in all fields with this number.
pub(crate) fn list(message: &[u8], wanted: FieldNumber) -> Result<Vec<u64>, Malformed> {
    let mut numbers = Vec::new();
    for field in Fields::of(message) {
        let (number, value) = field?;
        if number == wanted {
            value.append_numbers(&mut numbers)?;
        }
    }
    Ok(numbers)
}

/// The field within which bytes end: its number, and what there is of its bytes if it holds bytes.
/// `None` if this is no start of a field whose number is below 16.
pub(crate) fn begun(rest: &[u8]) -> Option<(FieldNumber, Option<&[u8]>)> {
    let (&tag @ 8..0x80, rest) = rest.split_first()? else { return None };
    let content = match tag & 7 {
        0 => None,
        2 => {
            let length = rest.iter().take_while(|byte| **byte >= 0x80).count() + 1;
            Some(rest.get(length..).unwrap_or_default())
        }
        _ => return None,
    };
    Some((FieldNumber(u64::from(tag >> 3)), content))
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    #[test]
    fn fields_of_every_type() {
        let message = b"\x08\x96\x01\x12\x02hi\x1d\x01\0\0\0\x21\x02\0\0\0\0\0\0\0";
        let fields: Vec<_> = Fields::of(message).collect::<Result<_, _>>().expect("well-formed");
        let expected = [
            (FieldNumber(1), Value::Number(150)),
            (FieldNumber(2), Value::Bytes(b"hi")),
            (FieldNumber(3), Value::Number(1)),
            (FieldNumber(4), Value::Number(2)),
        ];
        assert_eq!(fields, expected);
    }

    /// Without its constructor, a number cannot be the number of a field.
    #[test]
    fn only_declared_fields_have_numbers() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/stack-parse");
        let mut pending = vec![std::path::PathBuf::from(folder)];
        let mut makers = Vec::new();
        while let Some(path) = pending.pop() {
            if let Ok(entries) = path.read_dir() {
                pending.extend(entries.map(|entry| entry.expect("an entry").path()));
            } else if std::fs::read(&path).expect("a source").contains_str("FieldNumber::declared")
            {
                makers.push(path.strip_prefix(folder).expect("it is below").to_owned());
            }
        }
        makers.sort();
        // The macro that names what it makes.
        assert_eq!(makers, [std::path::PathBuf::from("read/protobuf.rs")]);
    }

    #[test]
    fn what_is_no_field_stays() {
        for (message, left) in [
            (&b"\x08\x01\x12\x05hi"[..], &b"\x12\x05hi"[..]),
            (b"\x08\x01\x08\x80", b"\x08\x80"),
            (b"\x08\x01\x0b", b"\x0b"),
            (b"\x08\x01\0\0", b"\0\0"),
            (b"\x08\x01\x09\0\0", b"\x09\0\0"),
        ] {
            let mut fields = Fields::of(message);
            assert_eq!(fields.next(), Some(Ok((FieldNumber(1), Value::Number(1)))));
            assert_eq!(fields.next(), Some(Err(Malformed)));
            assert_eq!(fields.next(), None);
            assert_eq!(fields.rest(), left);
        }
    }

    #[test]
    fn numbers_stand_alone_or_together() {
        let mut numbers = Vec::new();
        assert_eq!(Value::Number(7).append_numbers(&mut numbers), Ok(()));
        assert_eq!(Value::Bytes(b"\x01\x96\x01").append_numbers(&mut numbers), Ok(()));
        let minus_one = b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        assert_eq!(Value::Bytes(minus_one).append_numbers(&mut numbers), Ok(()));
        assert_eq!(numbers, [7, 1, 150, u64::MAX]);
        assert_eq!(Value::Bytes(b"\x01\x96").append_numbers(&mut numbers), Err(Malformed));
    }
}
