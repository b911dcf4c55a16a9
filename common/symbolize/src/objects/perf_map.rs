//! `/tmp/perf-PID.map`: a list of the functions that a process compiled while it ran.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use super::made_function::MadeFunction;
use super::no_symbols::NoSymbols;
use super::spans::{Span, Spans};
use crate::bytes::hexadecimal;

/// The functions that a process compiled, by their addresses.
#[derive(Debug)]
pub(super) struct PerfMap {
    file: PathBuf,
    /// Whether the file is trusted whoever owns it.
    is_trusted: bool,
    /// Its length when it was last read, in bytes; `None` before.
    read: Option<u64>,
    /// The whole file.
    text: Vec<u8>,
    /// Known by the start of their names in the text.
    spans: Spans,
    pub(super) why: Option<NoSymbols>,
}

impl PerfMap {
    pub(super) fn new(file: PathBuf, is_trusted: bool) -> PerfMap {
        let (text, spans) = (Vec::new(), Spans::default());
        PerfMap { file, is_trusted, read: None, text, spans, why: None }
    }

    /// Reads the file again if it has become longer: the process may still run.
    pub(super) fn refresh(&mut self) {
        let opened = open(&self.file, self.is_trusted);
        let length = opened.as_ref().map_or(0, |(_, length)| *length);
        if self.read.replace(length) == Some(length) {
            return;
        }
        let mut text = Vec::new();
        let read =
            opened.and_then(|(mut file, _)| file.read_to_end(&mut text).map_err(NoSymbols::from));
        self.why = read.err();
        self.spans = Spans::new(spans(&text));
        self.text = text;
    }

    /// The name of the function at `address`.
    pub(super) fn name(&self, address: u64) -> Option<&[u8]> {
        self.text[self.span(address)?.what as usize..].lines().next()
    }

    /// The function at `address`. The file is read if it was not read before.
    pub(super) fn function(&mut self, address: u64) -> Option<MadeFunction> {
        if self.read.is_none() {
            self.refresh();
        }
        let span = self.span(address)?;
        let (offset, size) = (address - span.start, span.end - span.start);
        Some(MadeFunction { name: self.name(address)?.to_vec(), offset, size, eh_frame: None })
    }

    /// The function at `address`; if there were several, the last one.
    fn span(&self, address: u64) -> Option<&Span> {
        self.spans.at(address).max_by_key(|span| span.what)
    }
}

/// The path at which perf expects the map of a process.
pub(super) fn path(pid: u32) -> Vec<u8> {
    format!("/tmp/perf-{pid}.map").into_bytes()
}

/// One function per line: `3f97d2a04e80 1c JS:~fib /work/fib.js:1:13`.
fn spans(text: &[u8]) -> Vec<Span> {
    let span = |line: &[u8]| {
        let (start, rest) = line.split_once_str(" ")?;
        let (size, name) = rest.split_once_str(" ")?;
        // Some programs write `0x` before a number.
        let number = |digits: &[u8]| hexadecimal(digits.strip_prefix(b"0x").unwrap_or(digits));
        let (start, size) = (number(start)?, number(size)?);
        let name = name.as_ptr().addr() - text.as_ptr().addr();
        Some(Span::new(start, start.checked_add(size)?, u32::try_from(name).ok()?))
    };
    text.lines().filter_map(span).collect()
}

/// Opens a file that a process wrote for perf; also returns its length in bytes.
///
/// # Errors
///
/// [`NoSymbols::OtherOwner`] if the owner is neither the user nor root, since anyone can write to
/// /tmp; else what the system says.
pub(super) fn open(path: &Path, is_trusted: bool) -> Result<(File, u64), NoSymbols> {
    // Opening a named pipe might take forever.
    if !path.metadata()?.is_file() {
        return Err(NoSymbols::NotFound);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !is_trusted && !is_ours_or_roots(&metadata) {
        return Err(NoSymbols::OtherOwner);
    }
    Ok((file, metadata.len()))
}

#[cfg(unix)]
fn is_ours_or_roots(file: &Metadata) -> bool {
    let owner = nix::unistd::Uid::from_raw(std::os::unix::fs::MetadataExt::uid(file));
    owner.is_root() || owner == nix::unistd::Uid::effective()
}

/// Without a root user, only the files of another machine are trusted.
#[cfg(not(unix))]
fn is_ours_or_roots(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    /// A map with this text.
    fn map(text: &str) -> (TempDir, PerfMap) {
        let folder = TempDir::new().expect("a writable temporary folder");
        let file = folder.path().join("perf-1.map");
        fs::write(&file, text).expect("a writable folder");
        let mut map = PerfMap::new(file, false);
        map.refresh();
        (folder, map)
    }

    fn name(map: &PerfMap, address: u64) -> &str {
        map.name(address).map_or("", |name| name.to_str().expect("UTF-8"))
    }

    #[test]
    fn the_last_function_at_an_address_counts() {
        let (_folder, map) = map("100 100 old\n\
                                  180 10 JS:~inner x.js:1:2\n\
                                  0x200 10 with prefix\n\
                                  140 20 new\n\
                                  nonsense\n\
                                  300 zz no size\n\
                                  ffffffffffffffff 10 too large\n\
                                  400 10 without line feed");
        for (address, expected) in [
            (0xff, ""),
            (0x100, "old"),
            (0x140, "new"),
            (0x15f, "new"),
            (0x160, "old"),
            (0x180, "JS:~inner x.js:1:2"),
            (0x190, "old"),
            (0x205, "with prefix"),
            (0x210, ""),
            (0x300, ""),
            (0x40f, "without line feed"),
        ] {
            assert_eq!(name(&map, address), expected, "{address:x}");
        }
        assert_eq!(map.why, None);
    }

    #[test]
    fn a_function_has_its_size() {
        let (_folder, mut map) = map("100 b py::old:/a.py\n100 20 py::new:/a.py\n");
        let name = b"py::new:/a.py".to_vec();
        let expected = MadeFunction { name, offset: 6, size: 0x20, eh_frame: None };
        assert_eq!(map.function(0x106), Some(expected));
        assert_eq!(map.function(0x120), None);
    }

    #[test]
    fn what_is_added_is_read() {
        let (folder, mut map) = map("100 10 first\n");
        assert_eq!(name(&map, 0x110), "");
        let file = folder.path().join("perf-1.map");
        fs::write(&file, "100 10 first\n110 10 second\n").expect("a writable folder");
        map.refresh();
        assert_eq!(name(&map, 0x110), "second");
    }

    #[test]
    fn a_map_that_comes_later_is_read() {
        let folder = TempDir::new().expect("a writable temporary folder");
        let file = folder.path().join("perf-1.map");
        let mut map = PerfMap::new(file.clone(), false);
        map.refresh();
        assert_eq!(map.why, Some(NoSymbols::NotFound));
        fs::write(file, "100 10 f\n").expect("a writable folder");
        map.refresh();
        assert_eq!((name(&map, 0x100), &map.why), ("f", &None));
    }

    #[test]
    fn only_we_and_root_may_write_it() {
        let (folder, _) = map("100 10 f\n");
        let file = folder.path().join("perf-1.map");
        let owner = |uid| std::os::unix::fs::chown(&file, Some(uid), None);
        if !nix::unistd::Uid::effective().is_root() {
            return;
        }
        owner(12345).expect("root may do that");
        assert_eq!(open(&file, false).err(), Some(NoSymbols::OtherOwner));
        // Below another machine's root, the user has put it there.
        assert!(open(&file, true).is_ok());
        owner(0).expect("root may do that");
        assert!(open(&file, false).is_ok());
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = TempDir::new().expect("a writable temporary folder");
        assert_eq!(open(folder.path(), false).err(), Some(NoSymbols::NotFound));
        assert_eq!(open(Path::new("/dev/zero"), true).err(), Some(NoSymbols::NotFound));
    }
}
