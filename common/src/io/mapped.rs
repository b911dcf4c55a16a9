//! Files whose bytes are lent from the page cache, without a copy.
//!
//! This is the only file with `unsafe`, so fetching ahead and looking whether
//! standard output is closed stand here too. With one thread stack-parse takes
//! 0.195 s of a processor for 611 MB of deep stacks that are mapped, and
//! 0.219 s for the same that are read. Later, with 0.163 s for what is mapped,
//! fetching ahead left 0.141 s of that.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Result, Seek, SeekFrom};
use std::ops::{Deref, Range};
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::{Mmap, MmapOptions};

use crate::io::progress::Progress;

/// How much is lent at a time, and how much is mapped at a time for several
/// readers: memory is then one for each of them.
pub(crate) const PIECE: usize = 2 * 1024 * 1024;

/// How much is mapped at a time for a single reader: what a window costs is
/// little beside it.
pub(crate) const WINDOW: usize = 4 * PIECE;

/// What is left of a file; what is behind the last cut is for `read`.
#[derive(Debug)]
pub(crate) struct MappedFile {
    file: File,
    at: u64,
    end: u64,
    /// What was mapped last, and where it starts.
    window: Option<(Arc<Mmap>, u64)>,
    progress: Progress,
}

/// Bytes of a file.
#[derive(Debug)]
pub struct Mapped {
    window: Arc<Mmap>,
    piece: Range<usize>,
}

impl MappedFile {
    /// A regular file from where it would be read next; `None` if it is
    /// something else, or small.
    pub(crate) fn new(file: &File, progress: &Progress) -> Option<MappedFile> {
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let mut file = file.try_clone().ok()?;
        let (at, end) = (file.stream_position().ok()?, metadata.len());
        let progress = progress.clone();
        let is_large = at.saturating_add(PIECE as u64) <= end;
        is_large.then_some(MappedFile { file, at, end, window: None, progress })
    }

    /// The next bytes as far as `cut` says, given the next piece; `None` if
    /// there is no cut in it, or it is the last and not mapped. If a whole piece
    /// is not mapped yet, a window of this size is.
    pub(crate) fn next(
        &mut self,
        cut: fn(&[u8]) -> Option<usize>,
        window: usize,
    ) -> Option<Mapped> {
        let (window, start) = self.window(window)?;
        let length = cut(&window[start..window.len().min(start + PIECE)])?;
        self.at += length as u64;
        self.progress.advance(length);
        Some(Mapped { window, piece: start..start + length })
    }

    /// A window that holds the next piece, and where the piece starts in it.
    fn window(&mut self, size: usize) -> Option<(Arc<Mmap>, usize)> {
        let left = (self.end - self.at) as usize;
        if let Some((window, start)) = &self.window {
            let offset = (self.at - start) as usize;
            if offset + left.min(PIECE) <= window.len() {
                return Some((Arc::clone(window), offset));
            }
        }
        if left < PIECE {
            return None;
        }
        // Whoever still reads a piece of the last one has it, too.
        self.window = None;
        let length = size.min(left);
        // SAFETY: the bytes are only read, and nothing is concluded from them
        // that would not hold if another process changed them meanwhile: all
        // that is read is checked where it is used. If another process cuts
        // the file short, this one dies of SIGBUS, as it would in ripgrep.
        let window = unsafe {
            MmapOptions::new().offset(self.at).len(length).populate().map(&self.file).ok()?
        };
        let (window, _) = self.window.insert((Arc::new(window), self.at));
        Some((Arc::clone(window), 0))
    }

    /// Lets the file be read from here on.
    pub(crate) fn read_on(mut self) -> Result<()> {
        self.file.seek(SeekFrom::Start(self.at)).map(|_| ())
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.window[self.piece.clone()]
    }
}

/// How many bytes memory gives at once.
pub const CACHE_LINE: usize = 64;

/// Asks for bytes that are to be read soon, and does not wait for them.
#[inline]
pub fn prefetch(piece: &[u8; CACHE_LINE]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the bytes are borrowed, and all it changes is when they come.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(piece.as_ptr().cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = piece;
}

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

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::path::PathBuf;

    use super::*;
    use crate::{Blocks, Input};

    /// A file that is gone when the test is.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str, bytes: &[u8]) -> Scratch {
            let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            std::fs::write(&path, bytes).expect("the temporary directory can be written to");
            Scratch(path)
        }

        fn input(&self) -> Input {
            Input::open(&self.0, &Progress::new("test"), None).expect("the file is there")
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn lines(bytes: usize) -> Vec<u8> {
        let mut text: Vec<u8> =
            (0..).flat_map(|line| format!("line {line}\n").into_bytes()).take(bytes).collect();
        text.push(b'\n');
        text
    }

    /// All blocks, and how many of them were mapped.
    fn read(input: &mut Input) -> (Vec<u8>, usize) {
        let (mut seen, mut mapped) = (Vec::new(), 0);
        let mut blocks = Blocks::of_lines(input);
        while let Some(block) = blocks.take_block(Vec::new()).expect("the file can be read") {
            assert!(block.ends_with(b"\n"));
            seen.extend_from_slice(&block);
            mapped += usize::from(block.into_spare().is_none());
        }
        (seen, mapped)
    }

    #[test]
    fn whole_pieces_are_mapped_and_the_rest_is_read() {
        for pieces in [0, 1, 3, 3 * WINDOW / PIECE] {
            let text = lines(pieces * PIECE + PIECE / 2);
            let scratch = Scratch::new("whole-pieces", &text);
            let (seen, mapped) = read(&mut scratch.input());
            assert_eq!(mapped, pieces);
            assert!(seen == text, "{pieces} pieces");
        }
    }

    #[test]
    fn pieces_share_a_window() {
        let text = lines(2 * WINDOW);
        let scratch = Scratch::new("shared-window", &text);
        let file = File::open(&scratch.0).expect("the file is there");
        let mut mapped = MappedFile::new(&file, &Progress::new("test")).expect("it is large");
        let mut next = || mapped.next(|piece| Some(piece.len()), WINDOW).expect("there is more");
        let pieces: Vec<Mapped> = (0..2 * WINDOW / PIECE).map(|_| next()).collect();
        let (first, second) = pieces.split_at(WINDOW / PIECE);
        let is_one = |pieces: &[Mapped]| {
            pieces.iter().all(|piece| Arc::ptr_eq(&piece.window, &pieces[0].window))
        };
        assert!(is_one(first) && is_one(second) && !is_one(&pieces));
    }

    #[test]
    fn what_was_peeked_is_not_lost_and_what_was_read_is_not_repeated() {
        let text = lines(2 * WINDOW);
        let scratch = Scratch::new("peeked", &text);
        let mut input = scratch.input();
        assert_eq!(input.peek(6).expect("the file can be read"), b"line 0");
        assert!(read(&mut input).0 == text);

        let mut input = scratch.input();
        let mut first = [0; 7];
        input.read_exact(&mut first).expect("the file can be read");
        assert_eq!(read(&mut input), (text[7..].to_vec(), 0));
    }

    #[test]
    fn a_line_longer_than_a_window_arrives_whole() {
        let text = [lines(PIECE + 1000), vec![b'x'; 2 * WINDOW], b"\n".to_vec()].concat();
        let scratch = Scratch::new("long-line", &text);
        assert!(read(&mut scratch.input()).0 == text);
    }

    #[test]
    fn what_is_appended_meanwhile_is_read_too() {
        let text = lines(2 * WINDOW);
        let scratch = Scratch::new("appended", &text);
        let mut input = scratch.input();
        let mut file = File::options().append(true).open(&scratch.0).expect("the file is ours");
        file.write_all(b"more\n").expect("the file can be written to");
        assert!(read(&mut input).0 == [&text[..], b"more\n"].concat());
    }
}
