//! `/tmp/perf-PID.map`: where a process put the code that it compiled while it ran.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use nix::unistd::Uid;

use super::nameless::Why;
use super::spans::{Span, Spans};

/// The functions that a process compiled, by their addresses.
#[derive(Debug)]
pub(super) struct PerfMap {
    file: PathBuf,
    /// Whether anybody may have written the file.
    is_trusted: bool,
    /// How long it was when it was read; `None` before.
    read: Option<u64>,
    /// The whole file.
    text: Vec<u8>,
    /// Known by where their names begin in the text.
    spans: Spans,
    why: Option<Why>,
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
        let read = opened.and_then(|(mut file, _)| {
            file.read_to_end(&mut text).map_err(|error| Why::Unreadable(error.to_string()))
        });
        self.why = read.err();
        self.spans = Spans::new(spans(&text));
        self.text = text;
    }

    /// Why there are no functions, if there are none.
    pub(super) fn why(&self) -> Option<&Why> {
        self.why.as_ref()
    }

    /// The function at `address`: where several were, the last one.
    pub(super) fn name(&self, address: u64) -> Option<&[u8]> {
        let last = self.spans.at(address).map(|span| span.what).max()?;
        self.text[last as usize..].lines().next()
    }
}

/// Where a process writes its map, as perf expects it.
pub(super) fn path(pid: u32) -> Vec<u8> {
    format!("/tmp/perf-{pid}.map").into_bytes()
}

/// A function a line: `3f97d2a04e80 1c JS:~fib /work/fib.js:1:13`.
fn spans(text: &[u8]) -> Vec<Span> {
    let span = |line: &[u8]| {
        let (start, rest) = line.split_once_str(" ")?;
        let (size, name) = rest.split_once_str(" ")?;
        let (start, size) = (hexadecimal(start)?, hexadecimal(size)?);
        let name = name.as_ptr().addr() - text.as_ptr().addr();
        Some(Span::new(start, start.checked_add(size)?, u32::try_from(name).ok()?))
    };
    text.lines().filter_map(span).collect()
}

/// Some write `0x` in front.
fn hexadecimal(number: &[u8]) -> Option<u64> {
    let number = number.strip_prefix(b"0x").unwrap_or(number);
    u64::from_str_radix(number.to_str().ok()?, 16).ok()
}

/// Opens a file that a process wrote for perf, and tells its length in bytes.
///
/// # Errors
///
/// [`Why::OtherOwner`] if somebody else may have put it there, as in /tmp anyone may;
/// else what the system says.
pub(super) fn open(path: &Path, is_trusted: bool) -> Result<(File, u64), Why> {
    let why = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Why::NotFound,
        _ => Why::Unreadable(error.to_string()),
    };
    // To open a named pipe might take forever.
    if !path.metadata().map_err(why)?.is_file() {
        return Err(Why::NotFound);
    }
    let file = File::open(path).map_err(why)?;
    let metadata = file.metadata().map_err(why)?;
    let owner = Uid::from_raw(metadata.uid());
    if !is_trusted && !owner.is_root() && owner != Uid::effective() {
        return Err(Why::OtherOwner);
    }
    Ok((file, metadata.len()))
}
