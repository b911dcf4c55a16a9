//! Stacks of the kernel from `/proc/PID/stack` and `/proc/PID/task/TID/stack`, one or many. The
//! file itself shows neither the thread nor its end: a blank line or any other line separates
//! stacks, and may name the thread of the next.
//!
//! ```text
//! ==> /proc/4701/stack <==
//! [<0>] hrtimer_nanosleep+0x74/0xf0
//! [<0>] entry_SYSCALL_64_after_hwframe+0x76/0x7e
//!
//! == pid 11525 tid 11527 comm V8 Worker
//! [<ffffffff81091f77>] nfs_wait_bit_killable+0x24/0x40 [nfs]
//! [<ffffffffffffffff>] 0xffffffffffffffff
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};
use common::{Result, folded::Label, io::Input};

use crate::format::{Format, Head};
use crate::frame::{Frame, Kind};
use crate::options::Options;
use crate::read::leaf_first::{LeafFirst, THREADS};
use crate::read::lines::for_each_line;
use crate::samples::sample::{Sample, known};
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("proc-stack", "Stacks of the kernel from /proc/PID/stack", detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Value);

fn detect(head: &Head<'_>) -> bool {
    let is_bare = |line: &Line<'_>| line.prefix.is_empty() || is_path(line.prefix);
    head.lines().take(20).any(|line| Line::of(line).is_some_and(|line| is_bare(&line)))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[THREADS]);
    let mut reader = ProcStackReader::default();
    for_each_line(input, |_, line| reader.line(line, samples))?;
    reader.finish(samples)
}

/// The stack that is being read.
#[derive(Default)]
struct ProcStackReader {
    stack: LeafFirst,
    owner: Owner,
    /// The text before each frame: `grep -H` prints the file.
    prefix: Vec<u8>,
}

impl ProcStackReader {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let Some(Line { prefix, frame }) = Line::of(line) else {
            self.finish(samples)?;
            self.owner = Owner::of(line);
            return Ok(());
        };
        if is_path(prefix) && prefix != self.prefix {
            self.finish(samples)?;
            self.owner = Owner::of(prefix);
            self.prefix = prefix.to_vec();
        }
        self.owner.has_frames = true;
        if let Some(frame) = frame {
            self.stack.push(&frame, samples);
        }
        Ok(())
    }

    /// Ends a stack. A known thread without frames was not in the kernel.
    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.prefix.clear();
        let owner = std::mem::take(&mut self.owner);
        if !owner.has_frames && owner.pid.is_empty() && owner.tid.is_empty() {
            return Ok(());
        }
        let (pid, tid) = (known(&owner.pid), known(&owner.tid));
        let label = [Label { key: b"wchan", value: &owner.wchan }];
        let labels = if owner.wchan.is_empty() { &[] } else { &label[..] };
        let sample =
            Sample { comm: &owner.comm, pid, tid, weights: &[1], labels, ..Sample::default() };
        self.stack.add(&sample, samples)
    }
}

/// The thread of a stack, as far as the line before it shows.
#[derive(Default)]
struct Owner {
    comm: Vec<u8>,
    pid: Vec<u8>,
    tid: Vec<u8>,
    /// The function in which it waits, if it does.
    wchan: Vec<u8>,
    has_frames: bool,
}

impl Owner {
    /// `==> /proc/4701/task/4702/stack <==`, `== pid 11525 tid 11527 comm V8 Worker wchan 0`
    fn of(line: &[u8]) -> Owner {
        let path = line.split_once_str("/proc/").map_or(&b""[..], |(_, path)| path);
        let task = path.split_once_str("/task/").map_or(&b""[..], |(_, path)| path);
        let comm = line.split_once_str(" comm ").map_or(&b""[..], |(_, comm)| comm);
        let (comm, wchan) = comm.split_once_str(" wchan ").unwrap_or((comm, b""));
        // A thread that runs has 0.
        let wchan = if wchan == b"0" { Vec::new() } else { wchan.to_vec() };
        let id = |path: &[u8], word: &str| {
            let word = line.split_once_str(word).map_or(path, |(_, rest)| rest);
            let end = word.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(word.len());
            word[..end].to_vec()
        };
        let (pid, tid) = (id(path, "pid "), id(task, "tid "));
        Owner { comm: comm.trim_ascii().to_vec(), pid, tid, wchan, has_frames: false }
    }
}

/// `/proc/4701/stack:`, as `grep -H` prints it.
fn is_path(prefix: &[u8]) -> bool {
    prefix.contains_str("/proc/")
}

/// A line of a stack.
struct Line<'a> {
    prefix: &'a [u8],
    /// `None` for the end mark that older kernels print.
    frame: Option<Frame<'a>>,
}

impl Line<'_> {
    fn of(line: &[u8]) -> Option<Line<'_>> {
        let (prefix, rest) = line.split_once_str("[<")?;
        let (address, symbol) = rest.split_once_str(">] ")?;
        let address = hexadecimal(address)?;
        let symbol = symbol.trim_ascii();
        let (function, module) =
            match symbol.strip_suffix(b"]").and_then(|it| it.rsplit_once_str(" [")) {
                Some((function, _)) => (function, &symbol[function.len() + 1..]),
                None => (symbol, &b""[..]),
            };
        let (name, offset) = function.rsplit_once_str("+0x").unwrap_or((function, b"0"));
        if offset.split(|byte| *byte == b'/').any(|part| hexadecimal(part).is_none()) {
            return None;
        }
        // 0 means that the address is hidden.
        let address = Some(address).filter(|address| *address != 0);
        let name = if decimal(name).is_some() || name.starts_with(b"0x") { b"" } else { name };
        let frame = Frame { name, object: module, address, kind: Kind::Kernel, ..Frame::default() };
        Some(Line { prefix, frame: Some(frame).filter(|_| address != Some(u64::MAX)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let line = Line::of(b"[<0>] nfs_wait+0x24/0x40 [nfs]").expect("a frame");
        let frame = line.frame.expect("no mark of the end");
        assert_eq!(
            (frame.name, frame.object, frame.address),
            (&b"nfs_wait"[..], &b"[nfs]"[..], None)
        );
        let end = Line::of(b"[<ffffffffffffffff>] 0xffffffffffffffff").expect("a line");
        assert_eq!(end.frame, None);
        for other in ["", "== pid 1", "[<0>]", "[<x>] f+0x1/0x2", "[<0>] f+0xg/0x2"] {
            assert!(Line::of(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn owners_are_found_in_paths_and_words() {
        for (line, expected) in [
            ("==> /proc/4701/task/4702/stack <==", ("", "4701", "4702")),
            ("/proc/4701/stack:", ("", "4701", "")),
            ("== pid 1 tid 2 comm V8 Work wchan 0", ("V8 Work", "1", "2")),
            ("hello", ("", "", "")),
        ] {
            let owner = Owner::of(line.as_bytes());
            let parts = [&owner.comm, &owner.pid, &owner.tid].map(|it| it.as_bstr());
            assert_eq!(parts, [expected.0, expected.1, expected.2], "{line}");
        }
    }
}
