//! Reads JSON of any size and depth as a stream.
//!
//! A format asks for the keys that it knows; all others are skipped:
//!
//! ```text
//! json.enter_object()?;
//! while let Some(key) = json.next_key()? {
//!     match key {
//!         b"weights" => json.for_each(|json| add(json.integer()?))?,
//!         _ => {} // skipped by the next call
//!     }
//! }
//! ```
//!
//! A value may be of another kind than expected, such as `null` for a number: then a method returns
//! `false` or `None`, and the value is skipped. Memory is a buffer, the longest string that was
//! asked for, and a byte per level of nesting. Strings may hold any bytes, and lone surrogates of
//! JavaScript. A comma after a last element is accepted.

mod nested;
mod outline;
mod scan;
mod strings;

use std::io::Read;

use common::{Error, Result, io::Input, numbers::decimal};

use super::ahead::Ahead;
use super::decimal::scaled;

pub(crate) use nested::{Field, Tree, read_tree};
pub(crate) use outline::Outline;

/// A JSON text that is being read.
pub(crate) struct Json<R> {
    input: Ahead<R>,
    name: String,
    /// The byte that closes each open array and object.
    open: Vec<u8>,
    next: Next,
    /// Whether the outermost array may lack its end.
    may_be_open: bool,
    /// The string that was read last, if it has escapes.
    text: Vec<u8>,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Anything: this is the start, or the end of a document.
    Document,
    /// The first element or key, or the end of an array or an object.
    First,
    /// A comma, or the end of an array or an object.
    Comma,
    /// The colon after a key.
    Colon,
    /// A value.
    Value,
    /// A value that was entered as an object, but is none: it has no keys.
    NoObject,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    Text,
    Number,
    /// `null`, `true` or `false`, or something that is not a value of JSON.
    Other,
}

impl<'a> Json<&'a mut Input> {
    pub(crate) fn new(input: &'a mut Input) -> Json<&'a mut Input> {
        let name = input.name().to_owned();
        Json::named(name, input)
    }
}

impl<R: Read> Json<R> {
    /// JSON from any reader; `name` is its name in messages.
    pub(crate) fn named(name: String, input: R) -> Json<R> {
        Json {
            input: Ahead::new(input),
            name,
            open: Vec::new(),
            next: Next::Document,
            may_be_open: false,
            text: Vec::new(),
        }
    }

    /// The JSON in a string of this one.
    pub(crate) fn inside<'t>(&self, text: &'t [u8]) -> Json<&'t [u8]> {
        Json::named(self.name.clone(), text)
    }

    /// Accepts that the outermost array ends without `]`.
    pub(crate) fn may_be_open(mut self) -> Json<R> {
        self.may_be_open = true;
        self
    }

    /// Goes on to the next document, of which there may be several; false at the
    /// end of the input.
    pub(crate) fn next_document(&mut self) -> Result<bool> {
        self.skip_pending()?;
        let has_more = self.byte()?.is_some();
        self.next = if has_more { Next::Value } else { Next::Document };
        Ok(has_more)
    }

    /// The kind of the next value.
    pub(crate) fn kind(&mut self) -> Result<Kind> {
        Ok(match self.value()? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::Text,
            b'-' | b'0'..=b'9' => Kind::Number,
            _ => Kind::Other,
        })
    }

    /// Enters an object; false if the value is not one.
    pub(crate) fn begin_object(&mut self) -> Result<bool> {
        self.begin(b'{', b'}')
    }

    /// Enters an object, of which [`next_key`](Json::next_key) reads the keys. A value that is not an
    /// object has none, and is skipped.
    pub(crate) fn enter_object(&mut self) -> Result<()> {
        if !self.begin_object()? {
            self.next = Next::NoObject;
        }
        Ok(())
    }

    /// Enters an array; false if the value is not one.
    pub(crate) fn begin_array(&mut self) -> Result<bool> {
        self.begin(b'[', b']')
    }

    /// The next key of the object; `None` at its end.
    pub(crate) fn next_key(&mut self) -> Result<Option<&[u8]>> {
        if self.next == Next::NoObject {
            self.next = Next::Value;
            return Ok(None);
        }
        if !self.step(b'}')? {
            return Ok(None);
        }
        if self.byte()? != Some(b'"') {
            return Err(self.unexpected("a key or '}'"));
        }
        self.next = Next::Colon;
        self.string().map(Some)
    }

    /// Goes on to the next element of the array; false at its end.
    pub(crate) fn next_element(&mut self) -> Result<bool> {
        let has_more = self.step(b']')?;
        if has_more {
            self.next = Next::Value;
        }
        Ok(has_more)
    }

    /// Calls `each` at every element of an array; another value is skipped.
    pub(crate) fn for_each(
        &mut self,
        mut each: impl FnMut(&mut Json<R>) -> Result<()>,
    ) -> Result<()> {
        if self.begin_array()? {
            while self.next_element()? {
                each(self)?;
            }
        }
        Ok(())
    }

    /// Reads an array of strings; another element is an empty one.
    pub(crate) fn read_texts(&mut self, texts: &mut Vec<Vec<u8>>) -> Result<()> {
        self.for_each(|json| {
            texts.push(json.text()?.unwrap_or_default().to_vec());
            Ok(())
        })
    }

    /// A string; `None` if the value is not one.
    pub(crate) fn text(&mut self) -> Result<Option<&[u8]>> {
        if self.value()? != b'"' {
            return Ok(None);
        }
        self.end_value();
        self.string().map(Some)
    }

    /// The text of a number, or a string, as some writers put numbers in quotes; `None` if the
    /// value is neither.
    pub(crate) fn number(&mut self) -> Result<Option<&[u8]>> {
        match self.kind()? {
            Kind::Text => self.text(),
            Kind::Number => self.word().map(Some),
            Kind::Object | Kind::Array | Kind::Other => Ok(None),
        }
    }

    /// `true` or `false`; `None` if the value is neither.
    pub(crate) fn boolean(&mut self) -> Result<Option<bool>> {
        if self.kind()? != Kind::Other {
            return Ok(None);
        }
        Ok(match self.word()? {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        })
    }

    /// A number times 10 to the power of `scale`, rounded; `None` if the value is not a number.
    pub(crate) fn scaled(&mut self, scale: i32) -> Result<Option<i128>> {
        Ok(self.number()?.and_then(|text| scaled(text, scale)))
    }

    /// A number of seconds in nanoseconds; `None` if the value is not one, negative or too large.
    pub(crate) fn nanoseconds(&mut self) -> Result<Option<u64>> {
        Ok(self.scaled(9)?.and_then(|time| u64::try_from(time).ok()))
    }

    /// An integer of 64 bits without sign, also as `1.0` or `1e3`; `None` if the value is not one.
    pub(crate) fn integer(&mut self) -> Result<Option<u64>> {
        let Some(text) = self.number()? else { return Ok(None) };
        Ok(decimal(text).or_else(|| without_fraction(text)))
    }

    /// Skips the next value, whatever is in it.
    pub(crate) fn skip(&mut self) -> Result<()> {
        match self.kind()? {
            Kind::Text => {
                self.end_value();
                self.skip_string()
            }
            Kind::Object | Kind::Array => self.skip_nested(),
            Kind::Number | Kind::Other => self.word().map(|_| ()),
        }
    }

    /// The error that something else was expected here.
    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        self.error(&format!("expected {expected}"))
    }

    fn error(&self, what: &str) -> Error {
        let at = self.input.position();
        let what = format!("byte {at}: {what}; what came before is kept");
        Error::Unknown { name: self.name.clone(), what }
    }

    /// Whether all bytes were read: then an error means that they end too early.
    fn is_at_end(&self) -> bool {
        self.input.rest().is_empty()
    }

    fn cut_short(&self) -> Error {
        self.error("the JSON ends too early")
    }

    fn begin(&mut self, open: u8, close: u8) -> Result<bool> {
        if self.value()? != open {
            return Ok(false);
        }
        self.input.at += 1;
        self.open.push(close);
        self.next = Next::First;
        Ok(true)
    }

    /// Goes to the next element or key of the innermost array or object, which `close` ends; false
    /// at its end.
    fn step(&mut self, close: u8) -> Result<bool> {
        self.skip_pending()?;
        let mut byte = self.byte()?;
        if self.next == Next::Comma && byte == Some(b',') {
            self.input.at += 1;
            self.next = Next::First;
            byte = self.byte()?;
        }
        match byte {
            Some(byte) if byte == close => self.input.at += 1,
            None if self.may_be_open && self.open.as_slice() == b"]" => {}
            None => return Err(self.cut_short()),
            Some(_) if self.next == Next::First => return Ok(true),
            Some(_) => return Err(self.unexpected(&format!("',' or '{}'", close as char))),
        }
        self.open.pop();
        self.end_value();
        Ok(false)
    }

    /// Skips a value that was not read.
    fn skip_pending(&mut self) -> Result<()> {
        if matches!(self.next, Next::Colon | Next::Value) { self.skip() } else { Ok(()) }
    }

    /// The first byte of the next value.
    fn value(&mut self) -> Result<u8> {
        if self.next == Next::Colon {
            match self.byte()? {
                Some(b':') => self.input.at += 1,
                Some(_) => return Err(self.unexpected("':'")),
                None => return Err(self.cut_short()),
            }
            self.next = Next::Value;
        }
        self.byte()?.ok_or_else(|| self.cut_short())
    }

    /// Sets what comes after a value.
    fn end_value(&mut self) {
        self.next = if self.open.is_empty() { Next::Document } else { Next::Comma };
    }
}

/// A number that is an integer of 64 bits without sign.
fn without_fraction(text: &[u8]) -> Option<u64> {
    /// Digits after the point that are looked at.
    const DIGITS: u32 = 18;
    let number = scaled(text, 0)?;
    let exact = scaled(text, DIGITS as i32)?;
    let is_whole = number.checked_mul(10i128.pow(DIGITS)) == Some(exact);
    u64::try_from(number).ok().filter(|_| is_whole)
}

#[cfg(test)]
mod tests;
