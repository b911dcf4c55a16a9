//! Messages of protocol buffers: fields with numbers, one after the other.

mod stream;

pub(crate) use stream::{Broken, Stream};

use super::bytes::{Bytes, Ended};

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
    fn field(&self) -> Result<(u64, Value<'a>, Bytes<'a>), Malformed> {
        let mut bytes = self.rest;
        let tag = varint(&mut bytes)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut bytes)?),
            1 => Value::Number(bytes.u64()?),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).map_err(|_| Malformed)?;
                Value::Bytes(bytes.take(length)?)
            }
            5 => Value::Number(bytes.u32()?.into()),
            _ => return Err(Malformed),
        };
        if tag >> 3 == 0 { Err(Malformed) } else { Ok((tag >> 3, value, bytes)) }
    }
}

impl<'a> Iterator for Fields<'a> {
    /// The number of the field and its value.
    type Item = Result<(u64, Value<'a>), Malformed>;

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
                    numbers.push(varint(&mut bytes)?);
                }
            }
        }
        Ok(())
    }
}

/// The numbers of a message, each at the index of its field; 0 for missing ones.
pub(crate) fn numbers<const N: usize>(message: &[u8]) -> Result<[u64; N], Malformed> {
    let mut numbers = [0; N];
    for field in Fields::of(message) {
        let (field, value) = field?;
        if let Some(number) = usize::try_from(field).ok().and_then(|field| numbers.get_mut(field)) {
            *number = value.number();
        }
    }
    Ok(numbers)
}

/// A number of variable length.
#[inline]
fn varint(bytes: &mut Bytes<'_>) -> Result<u64, Malformed> {
    if let Bytes([byte @ 0..0x80, rest @ ..]) = *bytes {
        *bytes = Bytes(rest);
        return Ok(u64::from(*byte));
    }
    let length = bytes.0.iter().take(10).position(|byte| *byte < 0x80).ok_or(Malformed)? + 1;
    // The tenth byte of a negative number has one bit.
    let digits = bytes.take(length)?.iter().rev();
    Ok(digits.fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_type() {
        let message = b"\x08\x96\x01\x12\x02hi\x1d\x01\0\0\0\x21\x02\0\0\0\0\0\0\0";
        let fields: Vec<_> = Fields::of(message).collect::<Result<_, _>>().expect("well-formed");
        let expected = [
            (1, Value::Number(150)),
            (2, Value::Bytes(b"hi")),
            (3, Value::Number(1)),
            (4, Value::Number(2)),
        ];
        assert_eq!(fields, expected);
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
            assert_eq!(fields.next(), Some(Ok((1, Value::Number(1)))));
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
