//! Compressed data, and the messages for data that is cut short or damaged.

use std::io::{Error, ErrorKind, Read, Result};

/// A reader that decompresses. Its errors name the format; the errors of the libraries are meant
/// for programmers.
pub(crate) struct Compressed<R> {
    reader: R,
    format: &'static str,
}

impl<R: Read> Compressed<R> {
    pub(crate) fn new(format: &'static str, reader: R) -> Compressed<R> {
        Compressed { reader, format }
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
            // The error is not the system's: the bytes can be read, but not decompressed.
            kind if error.raw_os_error().is_none() && kind != ErrorKind::Interrupted => {
                Error::new(kind, format!("the {format} data is damaged: {error}"))
            }
            _ => error,
        }
    }
}

impl<R: Read> Read for Compressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.reader.read(buffer).map_err(|error| self.in_words(error))
    }
}
