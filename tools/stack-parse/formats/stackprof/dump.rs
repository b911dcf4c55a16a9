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

mod input;

use std::io::{self, Read};

use input::DumpInput;

/// The version that Ruby has written since 1.8.
pub(super) const START: &[u8] = b"\x04\x08";

/// No profile nests values this deep: more levels are damage.
const DEEPEST: usize = 1000;

/// The JSON of one dump or several.
pub(super) struct AsJson<R> {
    input: DumpInput<R>,
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
            input: DumpInput::new(input),
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
                None if self.input.is_at_end()? => break,
                None => self.begin()?,
            }
        }
        Ok(())
    }

    /// Begins a dump.
    fn begin(&mut self) -> io::Result<()> {
        if [self.input.byte()?, self.input.byte()?] != START {
            return Err(self.input.expected("a dump of Ruby's, version 4.8"));
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
                let pairs = self.input.length()?;
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
        match self.input.byte()? {
            b'0' => self.put_word(b"null", is_key),
            b'T' => self.put_word(b"true", is_key),
            b'F' => self.put_word(b"false", is_key),
            b'i' => {
                let number = self.input.integer()?;
                self.put_word(number.to_string().as_bytes(), is_key);
            }
            b'l' => {
                let object = self.input.large_integer()?.map_or(Object::Other, Object::Integer);
                self.put_object(&object, is_key);
                self.objects.push(object);
            }
            b'f' => {
                let number = self.input.bytes()?;
                let is_number = number.iter().all(|byte| b"0123456789.e+-".contains(byte));
                self.put_word(if is_number { &number } else { b"null" }, is_key);
                self.objects.push(Object::Other);
            }
            b':' => {
                let symbol = self.input.bytes()?;
                self.put_text(&symbol);
                self.symbols.push(symbol);
            }
            b';' => self.symbol_again()?,
            b'@' => self.object_again(is_key)?,
            // A string, a regular expression with its options, or the name of a class or module.
            kind @ (b'"' | b'/' | b'c' | b'm' | b'M') => {
                let object = Object::Text(self.input.bytes()?);
                if kind == b'/' {
                    self.input.byte()?;
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
            return Err(self.input.expected("a number, a text, a list or a hash as Ruby dumps it"));
        }
        self.objects.push(Object::Other);
        match kind {
            b'[' => {
                let left = self.input.length()?;
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
                let text = self.input.bytes()?;
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
        let left = self.input.length()?;
        self.put(b"{");
        self.push(Task::Pairs { left, is_first: true })
    }

    /// Reads the name of a class, which is a symbol.
    fn class(&mut self) -> io::Result<()> {
        self.hidden += 1;
        match self.input.byte()? {
            b':' => {
                let symbol = self.input.bytes()?;
                self.symbols.push(symbol);
            }
            b';' => self.symbol_again()?,
            _ => return Err(self.input.expected("the name of a class")),
        }
        self.hidden -= 1;
        Ok(())
    }

    fn symbol_again(&mut self) -> io::Result<()> {
        let number = self.input.length()?;
        match usize::try_from(number).ok().and_then(|number| self.symbols.get(number)) {
            Some(symbol) => {
                let symbol = symbol.clone();
                self.put_text(&symbol);
                Ok(())
            }
            None => Err(self.input.expected("the number of a symbol")),
        }
    }

    fn object_again(&mut self, is_key: bool) -> io::Result<()> {
        let number = usize::try_from(self.input.length()?).unwrap_or(usize::MAX);
        if number >= self.objects.len() {
            return Err(self.input.expected("the number of an object"));
        }
        let object = std::mem::replace(&mut self.objects[number], Object::Other);
        self.put_object(&object, is_key);
        self.objects[number] = object;
        Ok(())
    }

    fn push(&mut self, task: Task) -> io::Result<()> {
        if self.tasks.len() == DEEPEST {
            return Err(self.input.expected("no more lists in lists"));
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
}
