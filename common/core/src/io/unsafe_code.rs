//! The only file with `unsafe`: whether there is a standard output at all, and executables as
//! memory. Nothing safe can do these.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

/// Whether standard output was closed when the program started, as by `>&-`.
///
/// Before `main` Rust opens `/dev/null` in place of a closed one, so that what is
/// written goes nowhere and no error says so. From then on the system shows no difference from
/// a `/dev/null` that the caller opened to read and write, as the shell's `1<> /dev/null`, Python's
/// `subprocess.DEVNULL` and Node.js do, which is no error. So we look earlier.
pub(crate) fn stdout_was_closed() -> bool {
    STDOUT_WAS_CLOSED.load(Ordering::Relaxed)
}

static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// What the C library calls before Rust's part of the start.
// SAFETY: a section of pointers to functions of the C ABI, whose arguments ours
// ignores; it neither panics nor needs anything that Rust sets up.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_RUST: extern "C" fn() = look_at_stdout;

#[cfg(target_os = "linux")]
extern "C" fn look_at_stdout() {
    const NO_DESCRIPTOR: i32 = 9; // EBADF
    // SAFETY: nothing else runs yet that could close it meanwhile, and to copy a
    // descriptor that is not open fails.
    let stdout = unsafe { BorrowedFd::borrow_raw(1) };
    let error = stdout.try_clone_to_owned().err().and_then(|error| error.raw_os_error());
    STDOUT_WAS_CLOSED.store(error == Some(NO_DESCRIPTOR), Ordering::Relaxed);
}

/// The bytes of an executable, or of a file with its debug information, which
/// stay in memory until the program ends.
///
/// Of a large library a profile needs the symbols and some of the debug
/// information: only those pages are read. Reading all of such a file takes many
/// times as long, and as much memory as it is large.
///
/// Never call it for an input: another program may still write to it.
///
/// # Errors
///
/// What the system says; [`io::ErrorKind::InvalidInput`] if it is no regular
/// file, such as a pipe, which might never open.
pub fn map_executable(path: &Path) -> io::Result<&'static [u8]> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let file = File::open(path)?;
    // SAFETY: the bytes must not change while they are borrowed. Linux refuses to
    // write to an executable that runs, and package managers and linkers put a new
    // file in place of an old one. Whoever does write to the file in place makes
    // us print wrong names; whoever makes it shorter ends us with SIGBUS.
    let map = unsafe { Mmap::map(&file)? };
    Ok(Box::leak(Box::new(map)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_mapped_whole() {
        let this = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/io/unsafe_code.rs");
        assert_eq!(map_executable(&this).expect("a file"), std::fs::read(&this).expect("a file"));
    }

    #[test]
    fn an_empty_file_has_no_bytes() {
        let empty = std::env::temp_dir().join(format!("stack-tools-empty-{}", std::process::id()));
        std::fs::write(&empty, "").expect("a writable temporary folder");
        let mapped = map_executable(&empty).map(<[u8]>::len);
        std::fs::remove_file(&empty).expect("it is there");
        assert_eq!(mapped.expect("a file"), 0);
    }

    #[test]
    fn devices_and_folders_are_refused() {
        for path in ["/dev/null", "/dev/tty", "/"] {
            let error = map_executable(Path::new(path)).expect_err(path);
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path}");
        }
    }
}
