//! Files that are written whole or left as they were.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use tempfile::{Builder, NamedTempFile};

use crate::{Error, Result};
use system::SignalsWait;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// The most links that are followed, as the system does.
const MAX_LINKS: usize = 40;

/// Writes `bytes` to a temporary file beside `path` and gives it that name, so that nobody ever
/// sees a part, and a failure leaves `path` as it was. Pipes, `/dev/stdout` and others that are not
/// regular files are written in place, and so is a file that cannot be replaced by one of the same
/// owner.
///
/// # Errors
///
/// [`Error::Output`] with the error of the system.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = match Destination::of(path) {
        Ok(Destination::File(path)) => replace(&path, bytes),
        Ok(Destination::Stream) => append(path, bytes),
        Err(error) => Err(error),
    };
    written.map_err(|source| Error::Output { name: path.display().to_string(), source })
}

/// The regular file that [`write()`] makes or replaces at this path, after all links were followed;
/// `None` where it writes to a pipe, a device or an open descriptor.
#[must_use]
pub fn replaced_by_write(path: &Path) -> Option<PathBuf> {
    match Destination::of(path) {
        Ok(Destination::File(path)) => Some(path),
        Ok(Destination::Stream) | Err(_) => None,
    }
}

/// Whether `input`, a path or `-` for standard input, is the regular file at `output`, so that a
/// tool that writes there would destroy what it reads.
#[must_use]
pub fn is_same_file(input: &Path, output: &Path) -> bool {
    let is_regular = |path: &Path| fs::metadata(path).is_ok_and(|found| found.is_file());
    let input = match input == Path::new("-") {
        true => Handle::stdin(),
        false if is_regular(input) => Handle::from_path(input),
        // To open a pipe would wait for its writer.
        false => return false,
    };
    is_regular(output)
        && input.is_ok_and(|input| Handle::from_path(output).is_ok_and(|it| it == input))
}

enum Destination {
    /// A regular file, existing or not, after all links were followed: the links stay.
    File(PathBuf),
    /// Anything else.
    Stream,
}

impl Destination {
    fn of(path: &Path) -> io::Result<Destination> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let name = path.file_name().ok_or(ErrorKind::IsADirectory)?;
            let folder = match path.parent() {
                Some(parent) if parent != Path::new("") => parent,
                _ => Path::new("."),
            };
            let folder = fs::canonicalize(folder)?;
            // An open descriptor. Even a regular file must not be replaced here: the program that
            // opened it is writing to it.
            if folder.starts_with("/proc") || folder.starts_with("/dev/fd") {
                return Ok(Destination::Stream);
            }
            let here = folder.join(name);
            match fs::symlink_metadata(&here) {
                Ok(found) if found.is_symlink() => path = folder.join(fs::read_link(&here)?),
                Ok(found) if found.is_file() => return Ok(Destination::File(here)),
                Ok(_) => return Ok(Destination::Stream),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Ok(Destination::File(here));
                }
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::InvalidInput.into())
    }
}

/// Never truncates: `-o /dev/stdout >> pictures` keeps what is there.
fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = match OpenOptions::new().write(true).open(path) {
        Ok(old) => Some(old.metadata()?),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        // A file that is write-protected must not be replaced either.
        Err(error) => return Err(error),
    };
    let _signals = SignalsWait::start()?;
    let temporary = match beside(path, old.as_ref()) {
        Ok(temporary) => temporary,
        Err(error) if old.is_some() => return in_place_if_refused(path, bytes, error),
        Err(error) => return Err(error),
    };
    temporary.as_file().write_all(bytes)?;
    // Some file systems report a full disk only when the file is closed.
    temporary.as_file().sync_all()?;
    match temporary.persist(path) {
        Ok(_) => Ok(()),
        Err(failed) if old.is_some() => in_place_if_refused(path, bytes, failed.error),
        Err(failed) => Err(failed.error),
    }
}

/// An empty file in the folder of `path`, gone when it is dropped, with the owner
/// and the mode of `old`.
fn beside(path: &Path, old: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let folder = path.parent().ok_or(ErrorKind::IsADirectory)?;
    let mut builder = Builder::new();
    system::set_usual_mode(&mut builder);
    // Not named after `path`, whose name may be as long as names can be.
    let temporary = builder.prefix(".stack-tools-").tempfile_in(folder)?;
    if let Some(old) = old {
        system::take_owner_and_mode(temporary.as_file(), old)?;
    }
    Ok(temporary)
}

/// Writes to the file at `path` itself if the system refused to replace it: the folder is
/// write-protected, the file has another owner, or it is mounted there.
fn in_place_if_refused(path: &Path, bytes: &[u8], error: io::Error) -> io::Result<()> {
    let refused = [
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::ResourceBusy,
        ErrorKind::CrossesDevices,
    ];
    if !refused.contains(&error.kind()) {
        return Err(error);
    }
    let mut old = OpenOptions::new().write(true).open(path)?;
    old.write_all(bytes)?;
    old.set_len(bytes.len() as u64)
}
