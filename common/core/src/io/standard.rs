//! Standard input and output as files of our own.
//!
//! [`io::Stdin`] copies through a small buffer, [`io::Stdout`] looks for lines in
//! every write.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;

use super::unsafe_code::stdin_was_closed;

/// Standard input.
///
/// # Errors
///
/// What the system says.
pub(crate) fn input() -> io::Result<File> {
    // In place of a closed one, Rust has put `/dev/null`, which would count as empty.
    if stdin_was_closed() {
        return Err(io::Error::other("it is closed"));
    }
    file_of(io::stdin())
}

/// Standard output.
///
/// # Errors
///
/// What the system says.
pub(crate) fn output() -> io::Result<File> {
    file_of(io::stdout())
}

#[cfg(unix)]
fn file_of(stream: impl AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn file_of(stream: impl AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}
