//! Reads messages of protocol buffers that are too large to be held, field by field.

use std::io::{self, Read};

use common::Error;

use super::FieldNumber;
use crate::read::ahead::Ahead;
use crate::read::bytes::Bytes;

/// The longest number of variable length, in bytes.
const LONGEST_NUMBER: usize = 10;

/// A message that is being read.
pub(crate) struct Stream<R> {
    input: Ahead<R>,
}

/// The value of a field that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A number, which was read.
    Number(u64),
    /// Bytes that come next, up to this byte of the input: a string, a message or several numbers.
    Bytes(u64),
}

/// Why nothing more can be read.
#[derive(Debug)]
pub(crate) enum Broken {
    Input(io::Error),
    /// The input ends within a field that begins at this byte.
    Cut(u64),
    /// There is no field at this byte.
    NoField(u64),
}

impl Broken {
    /// The error for the input with this name; `what` is the name of a field: "a field".
    pub(crate) fn error(self, name: String, what: &str) -> Error {
        let what = match self {
            Broken::Input(source) => return Error::Input { name, source },
            Broken::Cut(at) => format!("the input ends within {what} at byte {at}"),
            Broken::NoField(at) => format!("expected {what} at byte {at}"),
        };
        Error::Unknown { name, what: format!("{what}; what could be read is kept") }
    }
}

/// What comes after the number of a field.
enum Head {
    Number(u64),
    /// The length of its bytes.
    Length(u64),
}

impl<R: Read> Stream<R> {
    pub(crate) fn new(reader: R) -> Stream<R> {
        Stream { input: Ahead::new(reader) }
    }

    /// Where the next byte is in the input.
    pub(crate) fn position(&self) -> u64 {
        self.input.position()
    }

    /// The next bytes: at least `count`, or all that are left.
    fn look(&mut self, count: usize) -> Result<&[u8], Broken> {
        while self.input.rest().len() < count && self.input.fill().map_err(Broken::Input)? {}
        Ok(self.input.rest())
    }

    /// The next byte; `None` at the end of the input.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, Broken> {
        Ok(self.look(1)?.first().copied())
    }

    /// The next field of a message that ends at `end`: its number, and where its bytes end. These
    /// come next. Fields of one number are skipped. `None` at the end of the message. A message of
    /// unknown length ends with the input: its `end` is `u64::MAX`.
    pub(crate) fn field(&mut self, end: u64) -> Result<Option<(FieldNumber, u64)>, Broken> {
        loop {
            match self.any_field(end)? {
                Some((number, Next::Bytes(end))) => return Ok(Some((number, end))),
                Some((_, Next::Number(_))) => {}
                None => return Ok(None),
            }
        }
    }

    /// Like [`field`](Stream::field), but fields of one number are not skipped.
    #[inline]
    pub(crate) fn any_field(&mut self, end: u64) -> Result<Option<(FieldNumber, Next)>, Broken> {
        let start = self.position();
        if start >= end || end == u64::MAX && self.peek()?.is_none() {
            return Ok(None);
        }
        let (number, value) = self.head()?;
        let (value, field_end) = match value {
            Head::Number(number) => (Next::Number(number), Some(self.position())),
            Head::Length(length) => {
                let end = self.position().checked_add(length);
                (Next::Bytes(end.unwrap_or(u64::MAX)), end)
            }
        };
        let is_inside = field_end.is_some_and(|it| it <= end);
        if is_inside { Ok(Some((number, value))) } else { Err(Broken::NoField(start)) }
    }

    /// The bytes of the next field with this number, in a message that ends with the input; `None`
    /// at its end. If the input ends within a field, [`Broken::Cut`] has where this field begins.
    pub(crate) fn next(&mut self, wanted: FieldNumber) -> Result<Option<&[u8]>, Broken> {
        loop {
            let begin = self.position();
            let of_field = |broken| match broken {
                Broken::Cut(_) => Broken::Cut(begin),
                other => other,
            };
            match self.field(u64::MAX).map_err(of_field)? {
                None => return Ok(None),
                Some((number, end)) if number == wanted => {
                    return self.take(end).map(Some).map_err(of_field);
                }
                Some((_, end)) => self.skip(end).map_err(of_field)?,
            }
        }
    }

    /// Takes the number of a field, and its value or the length of its bytes, which follow.
    fn head(&mut self) -> Result<(FieldNumber, Head), Broken> {
        let start = self.position();
        let cut = |_| Broken::Cut(start);
        let mut bytes = Bytes(self.look(2 * LONGEST_NUMBER)?);
        let all = bytes.len();
        let number = |bytes: &mut Bytes<'_>| {
            // The input ends, or the number is too long to be one.
            let is_cut = bytes.len() < LONGEST_NUMBER;
            let broken = if is_cut { Broken::Cut } else { Broken::NoField };
            bytes.varint().map_err(|_| broken(start))
        };
        let tag = number(&mut bytes)?;
        let head = match tag & 7 {
            _ if tag >> 3 == 0 => return Err(Broken::NoField(start)),
            0 => Head::Number(number(&mut bytes)?),
            1 => Head::Number(bytes.u64().map_err(cut)?),
            2 => Head::Length(number(&mut bytes)?),
            5 => Head::Number(bytes.u32().map_err(cut)?.into()),
            _ => return Err(Broken::NoField(start)),
        };
        let read = all - bytes.len();
        self.input.at += read;
        Ok((FieldNumber(tag >> 3), head))
    }

    /// The bytes up to `end`.
    pub(crate) fn take(&mut self, end: u64) -> Result<&[u8], Broken> {
        let start = self.position();
        let length = usize::try_from(end - start).map_err(|_| Broken::Cut(start))?;
        if self.look(length)?.len() < length {
            return Err(Broken::Cut(start));
        }
        Ok(self.input.take(length))
    }

    /// Skips the bytes up to `end`.
    #[inline]
    pub(crate) fn skip(&mut self, end: u64) -> Result<(), Broken> {
        while self.position() < end {
            let left = end - self.position();
            let some = self.look(1)?.len();
            if some == 0 {
                return Err(Broken::Cut(self.position()));
            }
            self.input.at += usize::try_from(left).unwrap_or(usize::MAX).min(some);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_fields_if_they_are_wanted() {
        // 3: 300, 4: 2 of eight bytes, 5: "hi"
        let message = b"\x18\xac\x02\x21\x02\0\0\0\0\0\0\0\x2a\x02hi";
        let mut stream = Stream::new(&message[..]);
        let mut next = || stream.any_field(u64::MAX).expect("a field");
        assert_eq!(next(), Some((FieldNumber(3), Next::Number(300))));
        assert_eq!(next(), Some((FieldNumber(4), Next::Number(2))));
        assert_eq!(next(), Some((FieldNumber(5), Next::Bytes(16))));
    }

    #[test]
    fn messages_within_messages() {
        // 1: {2: "hi", 3: 300}, 4: 5
        let message = b"\x0a\x07\x12\x02hi\x18\xac\x02\x20\x05";
        let mut stream = Stream::new(&message[..]);
        assert!(matches!(stream.field(u64::MAX), Ok(Some((FieldNumber(1), 9)))));
        assert!(matches!(stream.field(9), Ok(Some((FieldNumber(2), 6)))));
        assert_eq!(stream.take(6).expect("two bytes"), b"hi");
        assert!(matches!(stream.field(9), Ok(None)));
        assert_eq!(stream.position(), 9);
        assert!(matches!(stream.field(u64::MAX), Ok(None)));
    }

    #[test]
    fn what_is_cut_or_no_field_is_said_with_its_place() {
        let too_long = b"\x20\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
        for (message, expected) in [
            (&b"\x20\x05\x12\x09hi"[..], "the input ends within a field at byte 4"),
            (b"\x20\x05\x0b", "expected a field at byte 2"),
            (b"\x20\x05\x08", "the input ends within a field at byte 2"),
            (b"\x20\x05\x09\0\0", "the input ends within a field at byte 2"),
            (b"\x20\x05\0\0", "expected a field at byte 2"),
            (too_long, "expected a field at byte 2"),
        ] {
            let mut stream = Stream::new(message);
            let broken = match stream.field(u64::MAX) {
                Ok(Some((_, end))) => stream.take(end).err(),
                other => other.err(),
            };
            let said = broken.expect("it is").error("t".to_owned(), "a field").to_string();
            assert_eq!(said, format!("t: {expected}; what could be read is kept"));
        }
    }

    /// What all fields with number 1 hold, and what ended the message.
    fn all_of_1(bytes: &[u8]) -> (Vec<Vec<u8>>, Option<Broken>) {
        let mut stream = Stream::new(bytes);
        let mut found = Vec::new();
        loop {
            match stream.next(FieldNumber(1)) {
                Ok(Some(bytes)) => found.push(bytes.to_vec()),
                Ok(None) => return (found, None),
                Err(broken) => return (found, Some(broken)),
            }
        }
    }

    #[test]
    fn fields_of_one_number_come_one_after_the_other() {
        let bytes = b"\x0a\x02hi\x10\x96\x01\x1a\x01x\x0a\0\x0a\x01y";
        let (found, broken) = all_of_1(bytes);
        assert_eq!(found, [&b"hi"[..], b"", b"y"]);
        assert!(broken.is_none());
        assert!(matches!(all_of_1(b""), (found, None) if found.is_empty()));
    }

    #[test]
    fn what_is_no_field_ends_the_message() {
        for cut in
            [&b"\x0a\x02hi\x0a\xff\xff\xff\xff\x0fx"[..], b"\x0a\x02hi\x0a", b"\x0a\x02hi\x12\x05x"]
        {
            let (found, broken) = all_of_1(cut);
            assert_eq!(found, [b"hi"]);
            assert!(matches!(broken, Some(Broken::Cut(4))), "{broken:?}");
        }
        for other in [&b"\x0a\x02hi\x0b"[..], b"\x0a\x02hi\0\0"] {
            let (found, broken) = all_of_1(other);
            assert_eq!(found, [b"hi"]);
            assert!(matches!(broken, Some(Broken::NoField(4))), "{broken:?}");
        }
    }
}
