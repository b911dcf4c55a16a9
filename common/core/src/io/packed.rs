//! Packed data, and what is said when it is cut or damaged.

use std::io::{Error, ErrorKind, Read, Result};

/// A reader that unpacks. Its errors name the format, where those of the
/// library that unpacks are for programmers.
pub(crate) struct Packed<R> {
    reader: R,
    format: &'static str,
}

impl<R: Read> Packed<R> {
    pub(crate) fn new(format: &'static str, reader: R) -> Packed<R> {
        Packed { reader, format }
    }

    fn in_words(&self, error: Error) -> Error {
        let format = self.format;
        match error.kind() {
            ErrorKind::UnexpectedEof => {
                Error::new(error.kind(), format!("the {format} data ends too early"))
            }
            ErrorKind::OutOfMemory => {
                Error::new(error.kind(), format!("the {format} data {error}"))
            }
            // The system found no fault with it: it can be read, but not unpacked.
            kind if error.raw_os_error().is_none() && kind != ErrorKind::Interrupted => {
                Error::new(kind, format!("the {format} data is damaged: {error}"))
            }
            _ => error,
        }
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.reader.read(buffer).map_err(|error| self.in_words(error))
    }
}
