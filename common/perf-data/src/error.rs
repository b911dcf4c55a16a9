//! Why a recording cannot be read, or not to its end.

use std::{error, fmt, io};

/// Why a recording cannot be read, or not to its end.
///
/// The records before a broken end are read all the same: see
/// [`Summary::error`](crate::Summary::error).
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Reading failed: what the reader said.
    Read(io::Error),
    /// The recording is cut short or damaged. The text says what is wrong and at which byte;
    /// it is a clause in lower case.
    Malformed(String),
    /// It was recorded on a big-endian machine.
    BigEndian,
    /// It is of version 1 of the format, which perf wrote before 2010.
    Version1,
    /// It does not begin as recordings do.
    NotPerfData,
    /// It is a file, whose parts must be read in another order than they have in the file: see
    /// [`Recording::from_file`](crate::Recording::from_file).
    NotAStream,
    /// Its samples are in other files of the same folder, as `perf record --threads` writes.
    Folder,
    /// Its records are compressed (`perf record -z`), which this library reads on Linux only, and
    /// with its feature `zstd`.
    Compressed,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Read(error) => return error.fmt(f),
            Error::Malformed(what) => what,
            Error::BigEndian => "it was recorded on a big-endian machine",
            Error::Version1 => "it has version 1 of the format",
            Error::NotPerfData => "it is not a perf.data file, which begins with PERFILE2",
            Error::NotAStream => "it is a file, not a stream",
            Error::Folder => {
                "a recording in a folder, with its samples in the files beside this one"
            }
            Error::Compressed if cfg!(target_os = "linux") => {
                "its records are compressed ('perf record -z'), and this was compiled without zstd"
            }
            Error::Compressed => {
                "its records are compressed ('perf record -z'), which can be read on Linux only"
            }
        })
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Read(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Read(error)
    }
}

/// The caller wants no more records.
#[derive(Debug)]
pub(crate) struct CallerStopped;

/// Why reading ends before the recording does.
#[derive(Debug)]
pub(crate) enum Stop {
    Broken(Error),
    Caller,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Broken(error)
    }
}

impl From<CallerStopped> for Stop {
    fn from(CallerStopped: CallerStopped) -> Stop {
        Stop::Caller
    }
}
