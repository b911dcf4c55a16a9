//! The only file with `unsafe`: whether there is a standard output at all, executables as
//! memory, where threads get memory from, and how memory is copied and compared where musl does
//! it slowly. Nothing safe can do these.
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
static BEFORE_MAIN: extern "C" fn() = before_main;

#[cfg(target_os = "linux")]
extern "C" fn before_main() {
    look_at_stdout();
    #[cfg(target_env = "gnu")]
    reserve_memory();
}

/// Makes glibc ask the system for the memory of threads in large pieces.
///
/// Each thread takes memory from a heap of its own, of which glibc makes 4 kB after 4 kB usable: a
/// recording of 1.4 MB took 2,828 calls of mprotect. A reserve is usable from the start. It costs
/// address space, no memory; a recording of 4 MB takes 18 MB of it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn reserve_memory() {
    const RESERVE: i32 = 24 << 20;
    // SAFETY: no thread was started yet, and a setting that is refused stays as it was.
    unsafe { libc::mallopt(libc::M_TOP_PAD, RESERVE) };
}

#[cfg(target_os = "linux")]
fn look_at_stdout() {
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

/// What the compiler calls to copy and to compare slices, in place of musl's functions.
///
/// Most slices here are the names of frames, which are short. musl compares them byte by byte, and
/// copies them by instructions that take long to start: in `stack-demangle` of 326 MB, of 1,448
/// samples 357 were in the one and 182 in the other. No library that is kept up replaces both.
#[cfg(all(any(test, target_env = "musl"), target_arch = "x86_64"))]
mod memory {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128};

    /// Bytes that are copied at once where there are many.
    const BLOCK: usize = 64;

    /// C's `memmove`, which is `memcpy`, too: the bytes may overlap.
    ///
    /// # Safety
    ///
    /// `size` bytes can be read at `from` and written at `to`.
    #[cfg_attr(not(test), unsafe(no_mangle))]
    pub(super) unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
        // SAFETY: the branches read and write within `size` bytes. Each reads all that another
        // part of it may write over before it writes.
        unsafe {
            if size > BLOCK {
                copy_blocks(to, from, size);
            } else if size > BLOCK / 2 {
                copy_ends::<[__m128i; 2]>(to, from, size);
            } else if size >= 16 {
                copy_ends::<__m128i>(to, from, size);
            } else if size >= 8 {
                copy_ends::<u64>(to, from, size);
            } else if size >= 4 {
                copy_ends::<u32>(to, from, size);
            } else if size > 0 {
                let (first, middle, last) =
                    (from.read(), from.add(size / 2).read(), from.add(size - 1).read());
                to.write(first);
                to.add(size / 2).write(middle);
                to.add(size - 1).write(last);
            }
        }
        to
    }

    /// C's `memcpy`.
    ///
    /// # Safety
    ///
    /// That of [`memmove`].
    #[cfg_attr(not(test), unsafe(no_mangle))]
    pub(super) unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
        // SAFETY: the same.
        unsafe { memmove(to, from, size) }
    }

    /// Copies the first and the last `size_of::<T>()` bytes; `size` must be between once and twice
    /// that.
    #[inline(always)]
    unsafe fn copy_ends<T: Copy>(to: *mut u8, from: *const u8, size: usize) {
        let last = size - size_of::<T>();
        // SAFETY: both are within `size` bytes, and both are read before one is written.
        unsafe {
            let (head, tail) =
                (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
            to.cast::<T>().write_unaligned(head);
            to.add(last).cast::<T>().write_unaligned(tail);
        }
    }

    /// Copies more than a block. It starts at the end where it does not overwrite bytes that are
    /// still to be read.
    #[inline(always)]
    unsafe fn copy_blocks(to: *mut u8, from: *const u8, size: usize) {
        let is_before_or_apart = to.addr().wrapping_sub(from.addr()) >= size;
        // SAFETY: the loops end before less than a block is left, and the block at the other end
        // is read before they write.
        unsafe {
            if is_before_or_apart {
                let tail = load(from.add(size - BLOCK));
                let mut at = 0;
                while size - at > BLOCK {
                    store(to.add(at), load(from.add(at)));
                    at += BLOCK;
                }
                store(to.add(size - BLOCK), tail);
            } else {
                let head = load(from);
                let mut at = size;
                while at > BLOCK {
                    at -= BLOCK;
                    store(to.add(at), load(from.add(at)));
                }
                store(to, head);
            }
        }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> [__m128i; 4] {
        // SAFETY: a block can be read there.
        [0, 1, 2, 3].map(|part| unsafe { _mm_loadu_si128(from.cast::<__m128i>().add(part)) })
    }

    #[inline(always)]
    unsafe fn store(to: *mut u8, block: [__m128i; 4]) {
        for (part, bytes) in block.into_iter().enumerate() {
            // SAFETY: a block can be written there.
            unsafe { _mm_storeu_si128(to.cast::<__m128i>().add(part), bytes) };
        }
    }

    /// C's `memcmp`.
    ///
    /// # Safety
    ///
    /// `size` bytes can be read at both.
    #[cfg_attr(not(test), unsafe(no_mangle))]
    pub(super) unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, size: usize) -> i32 {
        // SAFETY: all words are within `size` bytes.
        unsafe {
            if size < 8 {
                return compare_few(one, other, size);
            }
            let mut at = 0;
            while size - at > 8 {
                let order = compare_words(one, other, at);
                if order != 0 {
                    return order;
                }
                at += 8;
            }
            compare_words(one, other, size - 8)
        }
    }

    /// C's `bcmp`.
    ///
    /// # Safety
    ///
    /// That of [`memcmp`].
    #[cfg_attr(not(test), unsafe(no_mangle))]
    pub(super) unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, size: usize) -> i32 {
        // SAFETY: the same.
        unsafe { memcmp(one, other, size) }
    }

    /// Compares the 8 bytes that begin `at`.
    #[inline(always)]
    unsafe fn compare_words(one: *const u8, other: *const u8, at: usize) -> i32 {
        // SAFETY: 8 bytes can be read there.
        let [one, other] =
            [one, other].map(|it| unsafe { it.add(at).cast::<u64>().read_unaligned() });
        // The first byte is the highest digit.
        if one == other {
            0
        } else if one.swap_bytes() < other.swap_bytes() {
            -1
        } else {
            1
        }
    }

    /// Compares fewer than 8 bytes.
    #[inline(always)]
    unsafe fn compare_few(one: *const u8, other: *const u8, size: usize) -> i32 {
        for at in 0..size {
            // SAFETY: it is within `size` bytes.
            let [one, other] = [one, other].map(|it| unsafe { it.add(at).read() });
            if one != other {
                return i32::from(one) - i32::from(other);
            }
        }
        0
    }
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

    #[cfg(target_arch = "x86_64")]
    fn numbers(size: usize) -> Vec<u8> {
        (0..size).map(|number| (number * 7 + number / 251) as u8).collect()
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn memory_is_moved_however_it_overlaps() {
        for size in (0..140).chain([191, 192, 193, 1000]) {
            for from in [0, 1, 5, 63, 64, 65, 130] {
                for to in [0, 1, 5, 63, 64, 65, 130] {
                    let mut bytes = numbers(1200);
                    let mut expected = bytes.clone();
                    expected.copy_within(from..from + size, to);
                    let start = bytes.as_mut_ptr();
                    // SAFETY: both are within the vector.
                    let moved = unsafe { memory::memmove(start.add(to), start.add(from), size) };
                    assert_eq!(bytes, expected, "{size} bytes from {from} to {to}");
                    assert_eq!(moved.addr(), bytes.as_ptr().addr() + to);
                }
            }
            let (source, mut copy) = (numbers(size), vec![0; size]);
            // SAFETY: both have that size.
            unsafe { memory::memcpy(copy.as_mut_ptr(), source.as_ptr(), size) };
            assert_eq!(copy, source);
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn memory_is_compared_by_its_first_difference() {
        for size in 0..80 {
            let one = numbers(size);
            let order = |other: &[u8]| {
                // SAFETY: both have that size.
                let [order, other_order] = [(&one[..], other), (other, &one)]
                    .map(|(a, b)| unsafe { memory::memcmp(a.as_ptr(), b.as_ptr(), size) });
                assert_eq!(order.signum(), -other_order.signum());
                // SAFETY: the same.
                let differ = unsafe { memory::bcmp(one.as_ptr(), other.as_ptr(), size) };
                assert_eq!(differ == 0, order == 0);
                order.cmp(&0)
            };
            assert_eq!(order(&one), one.cmp(&one));
            for place in 0..size {
                for change in [1, 0x80, 0xff] {
                    let mut other = one.clone();
                    other[place] = other[place].wrapping_add(change);
                    // What is after it does not count.
                    other[place + 1..].fill(0);
                    assert_eq!(order(&other), one.cmp(&other), "{place} of {size}");
                }
            }
        }
    }
}
