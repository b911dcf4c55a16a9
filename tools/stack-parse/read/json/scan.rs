//! The bytes of a JSON text: white space, strings and skipped values.

use std::io::Read;

use common::{Error, Result};
use memchr::memchr2;

use super::Json;
use super::strings::unescape;

impl<R: Read> Json<R> {
    /// The next byte that is no white space; `None` at the end of the input.
    #[inline]
    pub(super) fn byte(&mut self) -> Result<Option<u8>> {
        loop {
            while self.input.at < self.input.filled {
                match self.input.bytes[self.input.at] {
                    b' ' | b'\t' | b'\r' | b'\n' => self.input.at += 1,
                    byte => return Ok(Some(byte)),
                }
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Reads more bytes; false at the end of the input.
    fn fill(&mut self) -> Result<bool> {
        self.input.fill().map_err(|source| Error::Input { name: self.name.clone(), source })
    }

    /// Takes the value that begins here: a number or a word. In an array or an object, one that is
    /// cut by the end of the input is an error.
    pub(super) fn word(&mut self) -> Result<&[u8]> {
        let mut length = 0;
        loop {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
            let rest = &self.input.rest()[length..];
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
        Ok(self.input.take(length))
    }

    /// Skips an array or an object.
    pub(super) fn skip_nested(&mut self) -> Result<()> {
        let depth = self.open.len();
        loop {
            while self.input.at < self.input.filled {
                let byte = self.input.bytes[self.input.at];
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
                self.input.at += 1;
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
        self.input.at += 1;
        loop {
            let rest = self.input.rest();
            match memchr2(b'"', b'\\', rest) {
                Some(found) if rest[found] == b'"' => {
                    self.input.at += found + 1;
                    return Ok(());
                }
                // An escape, whose second byte may be still to come.
                Some(found) if found + 1 < rest.len() => self.input.at += found + 2,
                Some(found) => self.input.at += found,
                None => self.input.at = self.input.filled,
            }
            if self.input.rest().len() < 2 {
                self.fill_or_cut()?;
            }
        }
    }

    /// Reads the string that begins here.
    pub(super) fn string(&mut self) -> Result<&[u8]> {
        let (mut length, mut has_escapes) = (1, false);
        loop {
            let rest = self.input.rest();
            match memchr2(b'"', b'\\', &rest[length..]) {
                Some(found) if rest[length + found] == b'"' => {
                    length += found;
                    break;
                }
                Some(found) => {
                    has_escapes = true;
                    length += found + 2;
                    while length > self.input.rest().len() {
                        self.fill_or_cut()?;
                    }
                }
                None => {
                    length = rest.len();
                    self.fill_or_cut()?;
                }
            }
        }
        let raw = &self.input.take(length + 1)[1..length];
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
        self.input.at = self.input.filled;
        Err(self.cut_short())
    }
}
