//! The only file with `unsafe`: whether there are a standard input and output at all, executables as memory,
//! and what happens where there is no more memory. Nothing safe can do these.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

use super::out_of_memory::out_of_memory;

/// The memory of the system; where there is none, the program ends with our message, whatever part
/// of it asked.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

// SAFETY: each call is passed to the allocator of the system as it is, and so is its answer. What
// is done where that is null asks for no memory, and does not unwind.
unsafe impl GlobalAlloc for Memory {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(unsafe { System.realloc(memory, layout, new_size) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        out_of_memory();
    }
    memory
}

/// Whether standard input was closed when the program started, as by `<&-`.
pub(crate) fn stdin_was_closed() -> bool {
    WERE_CLOSED[0].load(Ordering::Relaxed)
}

/// Whether standard output was closed when the program started, as by `>&-`.
///
/// Before `main` Rust opens `/dev/null` in place of a closed one, so that what is
/// written goes nowhere and no error says so. From then on the system shows no difference from
/// a `/dev/null` that the caller opened to read and write, as the shell's `1<> /dev/null`, Python's
/// `subprocess.DEVNULL` and Node.js do, which is no error. So we look earlier.
pub(crate) fn stdout_was_closed() -> bool {
    WERE_CLOSED[1].load(Ordering::Relaxed)
}

/// Of standard input and output.
static WERE_CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// What the C library calls before Rust's part of the start.
// SAFETY: a section of pointers to functions of the C ABI, whose arguments ours
// ignores; it neither panics nor needs anything that Rust sets up.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_RUST: extern "C" fn() = look_at_streams;

#[cfg(target_os = "linux")]
extern "C" fn look_at_streams() {
    const NO_DESCRIPTOR: i32 = 9; // EBADF
    for (descriptor, was_closed) in (0..).zip(&WERE_CLOSED) {
        // SAFETY: nothing else runs yet that could close it meanwhile, and to copy a
        // descriptor that is not open fails.
        let stream = unsafe { BorrowedFd::borrow_raw(descriptor) };
        let error = stream.try_clone_to_owned().err().and_then(|error| error.raw_os_error());
        was_closed.store(error == Some(NO_DESCRIPTOR), Ordering::Relaxed);
    }
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
