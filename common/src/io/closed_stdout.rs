//! Whether there is a standard output at all.
//!
//! This is the only file with `unsafe`: nothing safe runs before Rust opens what
//! is closed.
#![allow(unsafe_code)]

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was closed when the program started, as by `>&-`.
///
/// Before `main` Rust opens `/dev/null` in place of a closed one, so that what is
/// written goes nowhere and no error says so. Later this looks just like
/// Python's `subprocess.DEVNULL`.
pub(crate) fn stdout_was_closed() -> bool {
    STDOUT_WAS_CLOSED.load(Ordering::Relaxed)
}

static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// What the C library calls before `main`.
// SAFETY: a section of pointers to functions of the C ABI, whose arguments ours
// ignores; it neither panics nor needs anything that Rust sets up.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look_at_stdout;

#[cfg(target_os = "linux")]
extern "C" fn look_at_stdout() {
    const NO_DESCRIPTOR: i32 = 9; // EBADF
    // SAFETY: nothing else runs yet that could close it meanwhile, and to copy a
    // descriptor that is not open fails.
    let stdout = unsafe { BorrowedFd::borrow_raw(1) };
    let error = stdout.try_clone_to_owned().err().and_then(|error| error.raw_os_error());
    STDOUT_WAS_CLOSED.store(error == Some(NO_DESCRIPTOR), Ordering::Relaxed);
}
