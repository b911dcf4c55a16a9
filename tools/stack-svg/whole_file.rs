//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use common::{Error, Result};

/// As many links as the system follows.
const MAX_LINKS: usize = 40;

/// Writes `bytes` to a temporary file beside `path` and gives it that name, so
/// that nobody ever sees a part, and a failure leaves `path` as it was. What
/// is no regular file, as a pipe or `/dev/stdout`, is written as it stands.
///
/// # Errors
///
/// [`Error::Output`] with what the system says.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = match Place::of(path) {
        Ok(Place::File(path)) => replace(&path, bytes),
        Ok(Place::Stream) => append(path, bytes),
        Err(error) => Err(error),
    };
    written.map_err(|source| Error::Output { name: path.display().to_string(), source })
}

enum Place {
    /// A regular file, existing or not, behind all links: they stay.
    File(PathBuf),
    /// Anything else.
    Stream,
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
            let folder = match path.parent() {
                Some(parent) if parent != Path::new("") => parent,
                _ => Path::new("."),
            };
            let folder = fs::canonicalize(folder)?;
            // An open descriptor, even where it leads to a regular file: that
            // one is being written by whoever opened it.
            if folder.starts_with("/proc") || folder.starts_with("/dev/fd") {
                return Ok(Place::Stream);
            }
            let here = folder.join(name);
            match fs::symlink_metadata(&here) {
                Ok(found) if found.is_symlink() => path = folder.join(fs::read_link(&here)?),
                Ok(found) if found.is_file() => return Ok(Place::File(here)),
                Ok(_) => return Ok(Place::Stream),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Place::File(here));
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// Never truncates: `-o /dev/stdout >> pictures` keeps what is there.
fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = match OpenOptions::new().append(true).open(path) {
        Ok(old) => Some(old.metadata()?.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // A file that must not be written must not be replaced either.
        Err(error) => return Err(error),
    };
    let (temporary, mut file) = Temporary::beside(path)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    // Some file systems keep the news of a full disk until the file is closed.
    file.sync_all()?;
    temporary.rename(path)
}

/// A file that goes away unless it gets its name.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn beside(path: &Path) -> io::Result<(Temporary, File)> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let path = path.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok((Temporary { path }, file))
    }

    fn rename(self, path: &Path) -> io::Result<()> {
        // When this succeeds, there is nothing left to remove below.
        fs::rename(&self.path, path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Gone already when it was renamed, and there is no remedy otherwise.
        let _ = fs::remove_file(&self.path);
    }
}
