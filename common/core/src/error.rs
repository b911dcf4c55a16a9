//! Errors, in the words that the user reads.

use std::fmt;
use std::io::{self, ErrorKind};

/// Another number that Windows has for a pipe that nobody reads; Rust does not know it.
const PIPE_NOT_CONNECTED: i32 = 233;

/// The result of what may fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error after which the exit status is 2.
///
/// `Display` gives `where: what`; [`crate::run`] puts the tool's name in front.
#[derive(Debug)]
pub enum Error {
    /// An input could not be opened or read.
    Input {
        /// The file as the user wrote it, or `<stdin>`.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// An input cannot be understood; the next one is read.
    Unknown {
        /// The file as the user wrote it, or `<stdin>`.
        name: String,
        /// What it is, and what was expected.
        what: String,
    },
    /// Output could not be written. A closed pipe is not an error to the user, see
    /// [`crate::run`].
    Output {
        /// The file as the user wrote it, or `<stdout>`.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The user asked for something that cannot be done: the text says what was expected.
    Usage(String),
    /// A sum of counts does not fit into 64 bits.
    Overflow,
}

impl Error {
    /// Whether the error is about one input, so that the next ones can be read.
    #[must_use]
    pub fn is_of_input(&self) -> bool {
        matches!(self, Error::Input { .. } | Error::Unknown { .. })
    }

    /// Whether the reader of our output closed its pipe.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        let Error::Output { source, .. } = self else { return false };
        source.kind() == ErrorKind::BrokenPipe
            || cfg!(windows) && source.raw_os_error() == Some(PIPE_NOT_CONNECTED)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input { name, source } | Error::Output { name, source } => {
                write!(f, "{name}: {}", reason(source))
            }
            Error::Unknown { name, what } => write!(f, "{name}: {what}"),
            Error::Usage(what) => f.write_str(what),
            Error::Overflow => f.write_str("counts: their sum is over 18446744073709551615"),
        }
    }
}

impl std::error::Error for Error {}

/// The system's reason in our style: `No such file or directory (os error 2)`
/// becomes `no such file or directory`.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    // Windows has other words for these two, and ends all with a full stop.
    let text = match (error.raw_os_error(), error.kind()) {
        (Some(_), ErrorKind::NotFound) => "no such file or directory".to_owned(),
        (Some(_), ErrorKind::StorageFull) => "no space left on device".to_owned(),
        _ => error.to_string(),
    };
    let text = text.split(" (os error ").next().unwrap_or(&text).trim_end_matches('.');
    let mut chars = text.chars();
    match (chars.next(), text.chars().nth(1)) {
        // An acronym such as `I/O error` keeps its capital.
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_lower_case_and_without_numbers() {
        let missing = io::Error::from_raw_os_error(2);
        assert_eq!(reason(&missing), "no such file or directory");
        assert_eq!(reason(&io::Error::other("I/O error")), "I/O error");
        assert_eq!(reason(&io::Error::other("Access denied.")), "access denied");
    }
}
