//! Output: large blocks into a pipe or a file, lines on a terminal, and every
//! write checked.

use std::fs::File;
use std::io::{self, IsTerminal, Write};

use same_file::Handle;

use crate::folded::{FoldedLine, append_folded};
use crate::folded::{append_count, append_start};
use crate::{Error, Result, io::standard, io::unsafe_code::stdout_was_closed};

/// What standard output is called in messages.
const STDOUT: &str = "<stdout>";

/// The default capacity of a pipe: as much as one write can take.
const BLOCK_SIZE: usize = 64 * 1024;

/// Standard output.
#[derive(Debug)]
pub struct Output {
    file: File,
    buffer: Vec<u8>,
    by_line: bool,
    regular_file: Option<Handle>,
}

/// An identity that all names of a regular file share. `None` for pipes, terminals and devices such
/// as `/dev/null`, which a tool may read and write at the same time.
pub(crate) fn regular_file(file: &File) -> Option<Handle> {
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Handle::from_file(file.try_clone().ok()?).ok()
}

impl Output {
    /// Opens standard output; written line by line on a terminal, or if
    /// `line_buffered`.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn open(line_buffered: bool) -> Result<Output> {
        let by_line = line_buffered || io::stdout().is_terminal();
        let file = standard::output().map_err(unwritten)?;
        let regular_file = regular_file(&file);
        Ok(Output { file, buffer: Vec::with_capacity(2 * BLOCK_SIZE), by_line, regular_file })
    }

    /// A second handle to standard output with its own empty buffer: for a thread that writes while
    /// this one does not.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn try_clone(&self) -> Result<Output> {
        let file = self.file.try_clone().map_err(unwritten)?;
        Ok(Output { file, buffer: Vec::new(), by_line: self.by_line, regular_file: None })
    }

    /// The regular file that is written to, if it is one.
    pub(crate) fn regular_file(&self) -> Option<&Handle> {
        self.regular_file.as_ref()
    }

    /// Writes a folded line.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    #[inline]
    pub fn folded(&mut self, line: &FoldedLine<'_>) -> Result<()> {
        if line.stack.len() >= BLOCK_SIZE {
            return self.long_folded(line);
        }
        append_folded(line, &mut self.buffer);
        self.drain_if_due()
    }

    /// Writes a folded line with a long stack, which is not copied into the buffer: it may have
    /// gigabytes.
    #[cold]
    fn long_folded(&mut self, line: &FoldedLine<'_>) -> Result<()> {
        append_start(line, &mut self.buffer);
        self.flush()?;
        let written = check_stdout().and_then(|()| self.file.write_all(line.stack));
        written.map_err(unwritten)?;
        append_count(line.count, &mut self.buffer);
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

    /// Writes what is still in the buffer.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn flush(&mut self) -> Result<()> {
        self.write_buffer().map_err(unwritten)
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = check_stdout().and_then(|()| self.file.write_all(&self.buffer));
        self.buffer.clear();
        written
    }

    #[inline]
    fn drain_if_due(&mut self) -> Result<()> {
        if self.by_line || self.buffer.len() >= BLOCK_SIZE { self.flush() } else { Ok(()) }
    }
}

/// For code that takes any [`Write`], such as a drawing library.
impl Write for Output {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() >= BLOCK_SIZE {
            Write::flush(self)?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_buffer()
    }
}

/// Fails if standard output is closed (`>&-`). A later write would not fail: Rust has put
/// `/dev/null` in its place.
pub(crate) fn check_stdout() -> io::Result<()> {
    if stdout_was_closed() { Err(io::Error::other("it is closed")) } else { Ok(()) }
}

/// The error for what cannot be written to standard output.
#[must_use]
pub fn unwritten(source: io::Error) -> Error {
    Error::Output { name: STDOUT.to_owned(), source }
}
