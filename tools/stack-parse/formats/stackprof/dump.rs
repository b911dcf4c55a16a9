//! Reads a value that Ruby dumped as JSON of the same value. Grammar from Ruby's marshal.c and
//! doc/marshal.rdoc.
//!
//! ```text
//! 04 08                     the version
//!   { 06                    a hash of one pair; numbers from 1 to 122 are 5 more
//!     : 09 "mode"           its key, a symbol of 4 bytes
//!     I " 09 "wall"         its value, a string of 4 bytes
//!       06 : 06 "E" T       which has one attribute, its encoding
//! ```
//!
//! Nothing is executed: an object of any class is read as its contents.

use std::io::{self, BufRead, BufReader, Read};

/// The version that Ruby has written since 1.8.
pub(super) const START: &[u8] = b"\x04\x08";

/// No profile nests values this deep: more levels are damage.
const DEEPEST: usize = 1000;

/// The JSON of one dump or several.
pub(super) struct AsJson<R> {
    input: BufReader<R>,
    /// How many bytes of the input were read.
    at: u64,
    /// The JSON that was made, and how many bytes of it were taken.
    json: Vec<u8>,
    taken: usize,
    /// An error in the input, returned after all JSON is taken.
    error: Option<io::Error>,
    /// The tasks that remain, the next one last.
    tasks: Vec<Task>,
    /// How many open values are left out of the JSON.
    hidden: usize,
    /// The symbols and objects that later values refer to by index.
    symbols: Vec<Vec<u8>>,
    objects: Vec<Object>,
}

#[derive(Clone, Copy)]
enum Task {
    Value,
    /// A value that is the key of a JSON object, so it must be text.
    Key,
    Colon,
    /// The elements of a list.
    Elements {
        left: u64,
        is_first: bool,
    },
    /// The pairs of a hash.
    Pairs {
        left: u64,
        is_first: bool,
    },
    /// The attributes of the last value.
    Attributes,
    /// Values that are left out of the JSON: this many begin here.
    Hide(u64),
    /// This many values are still to be left out.
    Hidden(u64),
}

/// A value that later ones may refer to by index.
enum Object {
    Text(Vec<u8>),
    Integer(i64),
    Other,
}

impl<R: Read> Read for AsJson<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.json.len() && self.error.is_none() {
            (self.taken, self.error) = (0, None);
            self.json.clear();
            self.error = self.make().err();
        }
        let rest = &self.json[self.taken..];
        match self.error.take() {
            Some(error) if rest.is_empty() => return Err(error),
            error => self.error = error,
        }
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.taken += length;
        Ok(length)
    }
}

impl<R: Read> AsJson<R> {
    pub(super) fn new(input: R) -> AsJson<R> {
        AsJson {
            input: BufReader::with_capacity(1 << 16, input),
            at: 0,
            json: Vec::new(),
            taken: 0,
            error: None,
            tasks: Vec::new(),
            hidden: 0,
            symbols: Vec::new(),
            objects: Vec::new(),
        }
    }

    /// Makes some JSON; nothing at the end.
    fn make(&mut self) -> io::Result<()> {
        const ENOUGH: usize = 1 << 15;
        while self.json.len() < ENOUGH {
            match self.tasks.pop() {
                Some(task) => self.act(task)?,
                None if self.input.fill_buf()?.is_empty() => break,
                None => self.begin()?,
            }
        }
        Ok(())
    }

    /// Begins a dump.
    fn begin(&mut self) -> io::Result<()> {
        if [self.byte()?, self.byte()?] != START {
            return Err(self.expected("a dump of Ruby's, version 4.8"));
        }
        (self.symbols, self.objects) = (Vec::new(), Vec::new());
        self.json.push(b'\n');
        self.push(Task::Value)
    }

    fn act(&mut self, task: Task) -> io::Result<()> {
        match task {
            Task::Value | Task::Key => self.value(task)?,
            Task::Colon => self.put(b":"),
            Task::Elements { left: 0, .. } => self.put(b"]"),
            Task::Elements { left, is_first } => {
                self.put(if is_first { b"" } else { b"," });
                self.push(Task::Elements { left: left - 1, is_first: false })?;
                self.push(Task::Value)?;
            }
            Task::Pairs { left: 0, .. } => self.put(b"}"),
            Task::Pairs { left, is_first } => {
                self.put(if is_first { b"" } else { b"," });
                self.push(Task::Pairs { left: left - 1, is_first: false })?;
                self.push(Task::Value)?;
                self.push(Task::Colon)?;
                self.push(Task::Key)?;
            }
            Task::Attributes => {
                let pairs = self.length()?;
                self.push(Task::Hide(2 * pairs))?;
            }
            Task::Hide(values) => {
                self.hidden += 1;
                self.push(Task::Hidden(values))?;
            }
            Task::Hidden(0) => self.hidden -= 1,
            Task::Hidden(values) => {
                self.push(Task::Hidden(values - 1))?;
                self.push(Task::Value)?;
            }
        }
        Ok(())
    }

    /// Reads a value, or only its beginning if it has parts; `task` is the role of the value.
    fn value(&mut self, task: Task) -> io::Result<()> {
        let is_key = matches!(task, Task::Key);
        match self.byte()? {
            b'0' => self.put_word(b"null", is_key),
            b'T' => self.put_word(b"true", is_key),
            b'F' => self.put_word(b"false", is_key),
            b'i' => {
                let number = self.integer()?;
                self.put_word(number.to_string().as_bytes(), is_key);
            }
            b'l' => {
                let object = self.large_integer()?;
                self.put_object(&object, is_key);
                self.objects.push(object);
            }
            b'f' => {
                let number = self.bytes()?;
                let is_number = number.iter().all(|byte| b"0123456789.e+-".contains(byte));
                self.put_word(if is_number { &number } else { b"null" }, is_key);
                self.objects.push(Object::Other);
            }
            b':' => {
                let symbol = self.bytes()?;
                self.put_text(&symbol);
                self.symbols.push(symbol);
            }
            b';' => self.symbol_again()?,
            b'@' => self.object_again(is_key)?,
            // A string, a regular expression with its options, or the name of a class or module.
            kind @ (b'"' | b'/' | b'c' | b'm' | b'M') => {
                let object = Object::Text(self.bytes()?);
                if kind == b'/' {
                    self.byte()?;
                }
                self.put_object(&object, is_key);
                self.objects.push(object);
            }
            b'I' => {
                self.push(Task::Attributes)?;
                self.push(task)?;
            }
            // A value with its own class or an extra module, whose name is skipped.
            b'C' | b'e' => {
                self.push(task)?;
                self.push(Task::Hide(1))?;
            }
            kind => self.nested(kind, is_key)?,
        }
        Ok(())
    }

    /// Reads the beginning of a value that contains others.
    fn nested(&mut self, kind: u8, is_key: bool) -> io::Result<()> {
        if is_key || !b"[{}oSuU".contains(&kind) {
            return Err(self.expected("a number, a text, a list or a hash as Ruby dumps it"));
        }
        self.objects.push(Object::Other);
        match kind {
            b'[' => {
                let left = self.length()?;
                self.put(b"[");
                self.push(Task::Elements { left, is_first: true })
            }
            b'{' => self.pairs(),
            // A hash with a default value, which follows the pairs.
            b'}' => {
                self.push(Task::Hide(1))?;
                self.pairs()
            }
            // The name of a class, then the bytes that its object dumped.
            b'u' => {
                self.class()?;
                let text = self.bytes()?;
                self.put_text(&text);
                Ok(())
            }
            b'U' => {
                self.class()?;
                self.push(Task::Value)
            }
            // The attributes of an object, or the members of a structure.
            _ => {
                self.class()?;
                self.pairs()
            }
        }
    }

    fn pairs(&mut self) -> io::Result<()> {
        let left = self.length()?;
        self.put(b"{");
        self.push(Task::Pairs { left, is_first: true })
    }

    /// Reads the name of a class, which is a symbol.
    fn class(&mut self) -> io::Result<()> {
        self.hidden += 1;
        match self.byte()? {
            b':' => {
                let symbol = self.bytes()?;
                self.symbols.push(symbol);
            }
            b';' => self.symbol_again()?,
            _ => return Err(self.expected("the name of a class")),
        }
        self.hidden -= 1;
        Ok(())
    }

    fn symbol_again(&mut self) -> io::Result<()> {
        let number = self.length()?;
        match usize::try_from(number).ok().and_then(|number| self.symbols.get(number)) {
            Some(symbol) => {
                let symbol = symbol.clone();
                self.put_text(&symbol);
                Ok(())
            }
            None => Err(self.expected("the number of a symbol")),
        }
    }

    fn object_again(&mut self, is_key: bool) -> io::Result<()> {
        let number = usize::try_from(self.length()?).unwrap_or(usize::MAX);
        if number >= self.objects.len() {
            return Err(self.expected("the number of an object"));
        }
        let object = std::mem::replace(&mut self.objects[number], Object::Other);
        self.put_object(&object, is_key);
        self.objects[number] = object;
        Ok(())
    }

    /// `2b 08` and 6 bytes: the sign, the number of byte pairs, and the bytes, lowest first.
    fn large_integer(&mut self) -> io::Result<Object> {
        let sign = self.byte()?;
        let length = self.length()?.saturating_mul(2);
        let bytes = self.take(length)?;
        let small = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if small > 8 {
            return Ok(Object::Other);
        }
        let number =
            bytes.iter().take(small).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let Ok(number) = i64::try_from(number) else { return Ok(Object::Other) };
        Ok(Object::Integer(if sign == b'-' { -number } else { number }))
    }

    /// An integer of 31 bits: small ones in one byte, larger ones after their length.
    fn integer(&mut self) -> io::Result<i64> {
        let first = i64::from(self.byte()? as i8);
        let length = first.unsigned_abs() as usize;
        match first {
            0 => return Ok(0),
            5.. => return Ok(first - 5),
            ..=-5 => return Ok(first + 5),
            _ => {}
        }
        let mut bytes = [if first < 0 { 0xff } else { 0 }; 8];
        for byte in &mut bytes[..length] {
            *byte = self.byte()?;
        }
        Ok(i64::from_le_bytes(bytes))
    }

    fn length(&mut self) -> io::Result<u64> {
        let length = self.integer()?;
        u64::try_from(length).map_err(|_| self.expected("a length"))
    }

    /// A length, then this many bytes.
    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = self.length()?;
        self.take(length)
    }

    fn take(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(length).read_to_end(&mut bytes)?;
        self.at += read as u64;
        if (read as u64) < length { Err(self.expected("more bytes")) } else { Ok(bytes) }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let Some(&byte) = self.input.fill_buf()?.first() else {
            return Err(self.expected("more bytes"));
        };
        self.input.consume(1);
        self.at += 1;
        Ok(byte)
    }

    fn push(&mut self, task: Task) -> io::Result<()> {
        if self.tasks.len() == DEEPEST {
            return Err(self.expected("no more lists in lists"));
        }
        self.tasks.push(task);
        Ok(())
    }

    fn put(&mut self, json: &[u8]) {
        if self.hidden == 0 {
            self.json.extend_from_slice(json);
        }
    }

    /// Writes a word, or a text if it is a key.
    fn put_word(&mut self, word: &[u8], is_key: bool) {
        let quote: &[u8] = if is_key { b"\"" } else { b"" };
        [quote, word, quote].into_iter().for_each(|part| self.put(part));
    }

    fn put_object(&mut self, object: &Object, is_key: bool) {
        match object {
            Object::Text(text) => self.put_text(text),
            Object::Integer(number) => self.put_word(number.to_string().as_bytes(), is_key),
            Object::Other => self.put_word(b"null", is_key),
        }
    }

    fn put_text(&mut self, text: &[u8]) {
        if self.hidden > 0 {
            return;
        }
        self.json.push(b'"');
        for &byte in text {
            match byte {
                b'"' | b'\\' => self.json.extend_from_slice(&[b'\\', byte]),
                0..b' ' => self.json.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
                _ => self.json.push(byte),
            }
        }
        self.json.push(b'"');
    }

    fn expected(&self, what: &str) -> io::Error {
        let at = self.at;
        io::Error::other(format!("byte {at}: expected {what}; what came before is kept"))
    }
}
