//! A reader that remembers whether it came to its end.

use std::io::{ErrorKind, Read, Result};

/// Passes a reader on, and remembers whether it came to its end: a library may take the end of the
/// input for the end of its data.
pub(crate) struct Watched<R> {
    reader: R,
    pub(crate) ended: bool,
}

impl<R: Read> Watched<R> {
    pub(crate) fn new(reader: R) -> Watched<R> {
        Watched { reader, ended: false }
    }
}

impl<R: Read> Read for Watched<R> {
    /// Reads again where a signal interrupted the system: some libraries would lose what they have
    /// read so far of a header. Does not read after the end: a terminal goes on after a Ctrl-D, and
    /// would want a second one.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.ended {
            return Ok(0);
        }
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    self.ended |= matches!(read, Ok(0)) && !buffer.is_empty();
                    return read;
                }
            }
        }
    }
}
