//! Output: large blocks into a pipe or a file, lines on a terminal, and every
//! write checked.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use crate::append_folded;
use crate::{Error, Result};

/// What standard output is called in messages.
pub const STDOUT: &str = "<stdout>";

/// A pipe's default capacity: what one write can hand over.
const BLOCK_SIZE: usize = 64 * 1024;

/// Standard output.
#[derive(Debug)]
pub struct Output {
    file: File,
    buffer: Vec<u8>,
    by_line: bool,
}

impl Output {
    /// Opens standard output; written line by line on a terminal, or if
    /// `line_buffered`.
    pub(crate) fn open(line_buffered: bool) -> Result<Output> {
        let stdout = io::stdout();
        let by_line = line_buffered || stdout.is_terminal();
        // A descriptor of our own, since io::Stdout looks for lines in every write.
        let file = File::from(stdout.as_fd().try_clone_to_owned().map_err(trouble)?);
        Ok(Output { file, buffer: Vec::with_capacity(2 * BLOCK_SIZE), by_line })
    }

    /// Writes a folded line.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    #[inline]
    pub fn folded(&mut self, stack: &[u8], count: u64) -> Result<()> {
        append_folded(stack, count, &mut self.buffer);
        self.drain_if_due()
    }

    /// Writes a line as it is, adding the LF.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    #[inline]
    pub fn line(&mut self, line: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(line);
        self.buffer.push(b'\n');
        self.drain_if_due()
    }

    /// Writes text that ends in LF, or nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn lines(&mut self, lines: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(lines);
        self.drain_if_due()
    }

    /// Writes whatever is still held back.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn flush(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(trouble)
    }

    #[inline]
    fn drain_if_due(&mut self) -> Result<()> {
        if self.by_line || self.buffer.len() >= BLOCK_SIZE { self.flush() } else { Ok(()) }
    }
}

/// For writers that want one, such as a drawing library.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() >= BLOCK_SIZE {
            Write::flush(self)?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written
    }
}

fn trouble(source: io::Error) -> Error {
    Error::Output { name: STDOUT.to_owned(), source }
}
