//! The bytes of a JSON text: white space, strings and skipped values.

use std::io::{ErrorKind, Read};

use common::{Error, Result};
use memchr::memchr2;

use super::Json;
use super::strings::unescape;

/// The size of one read, in bytes.
const BUFFER_SIZE: usize = 256 * 1024;

impl<R: Read> Json<R> {
    /// The next byte that is no white space; `None` at the end of the input.
    #[inline]
    pub(super) fn byte(&mut self) -> Result<Option<u8>> {
        loop {
            while self.at < self.filled {
                match self.buffer[self.at] {
                    b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                    byte => return Ok(Some(byte)),
                }
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Reads more bytes into the buffer, after those that were not read yet; false at the end of
    /// the input.
    #[cold]
    fn fill(&mut self) -> Result<bool> {
        self.buffer.copy_within(self.at..self.filled, 0);
        self.before += self.at as u64;
        self.filled -= self.at;
        self.at = 0;
        if self.buffer.len() < self.filled + BUFFER_SIZE / 4 {
            self.buffer.resize(BUFFER_SIZE.max(2 * self.filled), 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Input { name: self.name.clone(), source }),
            }
        }
    }

    /// Takes the value that begins here: a number or a word. In an array or an object, one that is
    /// cut by the end of the input is an error.
    pub(super) fn word(&mut self) -> Result<&[u8]> {
        let mut length = 0;
        loop {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
            let rest = &self.buffer[self.at + length..self.filled];
            if let Some(more) = rest.iter().position(|byte| !is_part(byte)) {
                length += more;
                break;
            }
            length += rest.len();
            if !self.open.is_empty() {
                self.fill_or_cut()?;
            } else if !self.fill()? {
                break;
            }
        }
        if length == 0 {
            return Err(self.unexpected("a value"));
        }
        self.end_value();
        self.at += length;
        Ok(&self.buffer[self.at - length..self.at])
    }

    /// Skips an array or an object.
    pub(super) fn skip_nested(&mut self) -> Result<()> {
        let depth = self.open.len();
        loop {
            while self.at < self.filled {
                let byte = self.buffer[self.at];
                match byte {
                    b'"' => {
                        self.skip_string()?;
                        continue;
                    }
                    // In ASCII each of them is two before the byte that closes it.
                    b'{' | b'[' => self.open.push(byte + 2),
                    b'}' | b']' if self.open.last() == Some(&byte) => {
                        self.open.pop();
                    }
                    b'}' | b']' => return Err(self.unexpected("the end of what is open")),
                    _ => {}
                }
                self.at += 1;
                if self.open.len() == depth {
                    self.end_value();
                    return Ok(());
                }
            }
            self.fill_or_cut()?;
        }
    }

    /// Skips the string that begins here, without holding it.
    pub(super) fn skip_string(&mut self) -> Result<()> {
        self.at += 1;
        loop {
            match memchr2(b'"', b'\\', &self.buffer[self.at..self.filled]) {
                Some(found) if self.buffer[self.at + found] == b'"' => {
                    self.at += found + 1;
                    return Ok(());
                }
                // An escape, whose second byte may be still to come.
                Some(found) if self.at + found + 1 < self.filled => self.at += found + 2,
                Some(found) => self.at += found,
                None => self.at = self.filled,
            }
            if self.filled - self.at < 2 {
                self.fill_or_cut()?;
            }
        }
    }

    /// Reads the string that begins here.
    pub(super) fn string(&mut self) -> Result<&[u8]> {
        let (mut length, mut has_escapes) = (1, false);
        loop {
            match memchr2(b'"', b'\\', &self.buffer[self.at + length..self.filled]) {
                Some(found) if self.buffer[self.at + length + found] == b'"' => {
                    length += found;
                    break;
                }
                Some(found) => {
                    has_escapes = true;
                    length += found + 2;
                    while self.at + length > self.filled {
                        self.fill_or_cut()?;
                    }
                }
                None => {
                    length = self.filled - self.at;
                    self.fill_or_cut()?;
                }
            }
        }
        let start = self.at + 1;
        self.at += length + 1;
        let raw = &self.buffer[start..self.at - 1];
        if !has_escapes {
            return Ok(raw);
        }
        unescape(raw, &mut self.text);
        Ok(&self.text)
    }

    fn fill_or_cut(&mut self) -> Result<()> {
        if self.fill()? {
            return Ok(());
        }
        self.at = self.filled;
        Err(self.cut_short())
    }
}
