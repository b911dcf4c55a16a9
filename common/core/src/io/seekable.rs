//! An input of which any part can be read first: a file, or a copy in a temporary file.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::time::SystemTime;

use crate::{io::progress::Progress, reason};

/// How much is copied at once, in bytes.
const COPIED_AT_ONCE: usize = 256 * 1024;

/// An input that can be read at any place, from [`Input::take_seekable`].
///
/// [`Input::take_seekable`]: crate::io::Input::take_seekable
#[derive(Debug)]
pub struct Seekable {
    file: File,
    /// Counts the bytes that are read; `None` for a copy, whose bytes were counted on copying.
    progress: Option<Progress>,
    /// The error that ended the copying early: it is returned at the end of the copy.
    broken: Option<(ErrorKind, String)>,
}

impl Seekable {
    /// The file itself, if it is a regular file of which nothing was read yet.
    pub(crate) fn of_whole_file(file: &File, progress: &Progress) -> io::Result<Option<Seekable>> {
        // Windows knows nothing of a pipe, which is no error of the input.
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        if !is_file || (&mut &*file).stream_position()? != 0 {
            return Ok(None);
        }
        let progress = progress.counts(file).then(|| progress.clone());
        let file = file.try_clone()?;
        Ok(Some(Seekable { file, progress, broken: None }))
    }

    /// How many bytes there are, if the system knows.
    pub(crate) fn size(&self) -> Option<u64> {
        self.file.metadata().ok().map(|metadata| metadata.len())
    }

    /// When the file was written last, if the system knows.
    pub(crate) fn written(&self) -> Option<SystemTime> {
        self.file.metadata().ok()?.modified().ok()
    }

    /// A copy of all that `reader` returns.
    pub(crate) fn spool(mut reader: impl Read) -> io::Result<Seekable> {
        let mut file = tempfile::tempfile().map_err(of_temporary_file)?;
        let mut buffer = vec![0; COPIED_AT_ONCE];
        let broken = loop {
            match reader.read(&mut buffer) {
                Ok(0) => break None,
                Ok(count) => file.write_all(&buffer[..count]).map_err(of_temporary_file)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break Some((error.kind(), error.to_string())),
            }
        };
        file.rewind()?;
        Ok(Seekable { file, progress: None, broken })
    }
}

fn of_temporary_file(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the copy in a temporary file: {}", reason(&error)))
}

impl Read for Seekable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        if let Some(progress) = &self.progress {
            progress.advance(count);
        }
        match &self.broken {
            Some((kind, what)) if count == 0 && !buffer.is_empty() => {
                Err(io::Error::new(*kind, what.clone()))
            }
            _ => Ok(count),
        }
    }
}

impl Seek for Seekable {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_copied_and_breaks_where_it_broke() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::new(ErrorKind::InvalidData, "the gzip data is damaged"))
            }
        }
        let mut copy = Seekable::spool((&b"abcdef"[..]).chain(Broken)).expect("a temporary file");
        copy.seek(SeekFrom::Start(4)).expect("a file");
        let mut text = Vec::new();
        for _ in 0..2 {
            let error = copy.read_to_end(&mut text).expect_err("it is broken");
            assert_eq!(error.to_string(), "the gzip data is damaged");
        }
        assert_eq!(text, b"ef");
        copy.rewind().expect("a file");
        let error = copy.read_to_end(&mut text).expect_err("it is broken");
        assert_eq!((error.kind(), &text[..]), (ErrorKind::InvalidData, &b"efabcdef"[..]));
    }
}
