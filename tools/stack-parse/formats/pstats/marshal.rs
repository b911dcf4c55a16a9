//! A reader for the part of Python's marshal that a pstats file uses: dictionaries, tuples, numbers
//! and text. It executes nothing, since it reads nothing that could be executed.

use std::rc::Rc;

use crate::read::bytes::{Bytes, Ended};

/// A value; text is kept as bytes.
#[derive(Clone, Debug)]
pub(super) enum Value {
    None,
    True,
    Integer(i64),
    Float(f64),
    Text(Rc<[u8]>),
    Tuple(Rc<[Value]>),
}

/// What was expected instead of the data found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Malformed(pub(super) &'static str);

impl From<Ended> for Malformed {
    fn from(_: Ended) -> Malformed {
        Malformed("more bytes: the file ends too early")
    }
}

/// The bytes that are being read.
pub(super) struct Marshal<'a> {
    bytes: Bytes<'a>,
    /// How many bytes there were.
    length: usize,
    /// Values that later ones refer to by index.
    referred: Vec<Value>,
}

/// Python sets this bit for a value that may be referred to later.
const IS_REFERRED: u8 = 0x80;

/// The greatest depth of tuples in tuples: functions in edges. More levels are damage.
const DEEPEST: usize = 4;

impl<'a> Marshal<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Marshal<'a> {
        Marshal { bytes: Bytes(bytes), length: bytes.len(), referred: Vec::new() }
    }

    /// The offset of the next byte.
    pub(super) fn at(&self) -> usize {
        self.length - self.bytes.len()
    }

    pub(super) fn begin_dictionary(&mut self, expected: &'static str) -> Result<(), Malformed> {
        let kind = self.bytes.u8()?;
        self.refer(kind, Value::None);
        if kind & !IS_REFERRED == b'{' { Ok(()) } else { Err(Malformed(expected)) }
    }

    /// The next key of a dictionary; `None` at its end.
    pub(super) fn next_key(&mut self) -> Result<Option<Value>, Malformed> {
        if let Bytes([b'0', rest @ ..]) = self.bytes {
            self.bytes = Bytes(rest);
            return Ok(None);
        }
        self.value().map(Some)
    }

    /// Enters a tuple; returns how many values follow.
    pub(super) fn begin_tuple(&mut self, expected: &'static str) -> Result<usize, Malformed> {
        let kind = self.bytes.u8()?;
        self.refer(kind, Value::None);
        match kind & !IS_REFERRED {
            b'(' => self.length(),
            b')' => Ok(self.bytes.u8()?.into()),
            _ => Err(Malformed(expected)),
        }
    }

    pub(super) fn value(&mut self) -> Result<Value, Malformed> {
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Result<Value, Malformed> {
        let kind = self.bytes.u8()?;
        if kind == b'r' {
            let number = self.length()?;
            return self.referred.get(number).cloned().ok_or(Malformed("a value referred to"));
        }
        // A tuple gets its index before the values in it.
        let number = self.refer(kind, Value::None);
        let value = match kind & !IS_REFERRED {
            b'N' => Value::None,
            b'T' => Value::True,
            b'i' => Value::Integer(self.bytes.i32()?.into()),
            b'I' => Value::Integer(self.bytes.i64()?),
            b'l' => Value::Integer(self.long()?),
            b'g' => Value::Float(self.bytes.f64()?),
            b'f' => Value::Float(self.decimal()?),
            b's' | b't' | b'u' | b'a' | b'A' => {
                let length = self.length()?;
                Value::Text(self.bytes.take(length)?.into())
            }
            b'z' | b'Z' => {
                let length = self.bytes.u8()?;
                Value::Text(self.bytes.take(length.into())?.into())
            }
            b'(' => {
                let length = self.length()?;
                self.tuple(length, depth)?
            }
            b')' => {
                let length = self.bytes.u8()?;
                self.tuple(length.into(), depth)?
            }
            // `python3 -m profile` has the code of the program as the name of its first function.
            b'c' => return Err(Malformed("a name, not code: 'python3 -m cProfile' writes names")),
            _ => return Err(Malformed("a number, a text or a tuple")),
        };
        if let Some(number) = number {
            self.referred[number] = value.clone();
        }
        Ok(value)
    }

    fn tuple(&mut self, length: usize, depth: usize) -> Result<Value, Malformed> {
        if depth == DEEPEST {
            return Err(Malformed("fewer tuples in tuples"));
        }
        // Each value has at least one byte, so this allocates no more than the input's size.
        let mut values = Vec::with_capacity(length.min(self.bytes.len()));
        for _ in 0..length {
            values.push(self.nested(depth + 1)?);
        }
        Ok(Value::Tuple(values.into()))
    }

    /// Reserves an index for a value that may be referred to.
    fn refer(&mut self, kind: u8, value: Value) -> Option<usize> {
        if kind & IS_REFERRED == 0 {
            return None;
        }
        self.referred.push(value);
        Some(self.referred.len() - 1)
    }

    /// A large integer in digits of 15 bits, truncated to 64 bits.
    fn long(&mut self) -> Result<i64, Malformed> {
        let length = self.bytes.i32()?;
        let mut value = 0i64;
        for place in 0..length.unsigned_abs() {
            let digit = i64::from(self.bytes.u16()?);
            value |= digit.checked_shl(15 * place).unwrap_or(0);
        }
        Ok(if length < 0 { value.wrapping_neg() } else { value })
    }

    /// `f`: a number as text, as written by versions before 2.5.
    fn decimal(&mut self) -> Result<f64, Malformed> {
        let length = self.bytes.u8()?;
        let text = std::str::from_utf8(self.bytes.take(length.into())?).ok();
        text.and_then(|text| text.parse().ok()).ok_or(Malformed("a number"))
    }

    fn length(&mut self) -> Result<usize, Malformed> {
        Ok(self.bytes.u32()? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8]) -> Result<String, &'static str> {
        let value = Marshal::new(bytes).value();
        value.map(|value| format!("{value:?}")).map_err(|Malformed(expected)| expected)
    }

    #[test]
    fn values_are_those_that_python_dumps() {
        for (bytes, expected) in [
            (&b"i\xff\xff\xff\xff"[..], "Integer(-1)"),
            (b"l\x03\0\0\0\0\0\0\0\x01\0", "Integer(1073741824)"),
            (b"g\0\0\0\0\0\0\xf8?", "Float(1.5)"),
            (b"\xda\x02ab", "Text([97, 98])"),
            (b")\x02\xfa\x01ar\0\0\0\0", "Tuple([Text([97]), Text([97])])"),
            (b"(\x01\0\0\0N", "Tuple([None])"),
            (b")\x01T", "Tuple([True])"),
        ] {
            assert_eq!(value(bytes).as_deref(), Ok(expected), "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_value_is_named() {
        for (bytes, expected) in [
            (&b""[..], "more bytes: the file ends too early"),
            (b"(\xff\xff\xff\xff", "more bytes: the file ends too early"),
            (b"l\xff\xff\xff\x7f", "more bytes: the file ends too early"),
            (b"c\0\0\0\0", "a name, not code: 'python3 -m cProfile' writes names"),
            (b"?\0\0\0\0", "a number, a text or a tuple"),
            (b"r\x05\0\0\0", "a value referred to"),
            (b")\x01)\x01)\x01)\x01)\x01N", "fewer tuples in tuples"),
        ] {
            assert_eq!(value(bytes), Err(expected), "{bytes:?}");
        }
    }
}
