//! What `eu-stack` of elfutils prints, with any of its options. Grammar from elfutils'
//! src/stack.c.
//!
//! ```text
//! PID 7171 - process
//! TID 7173:
//! #0  0x00005569913c0734 mix - /prog/demo
//!     /prog/demo.cpp:14:122
//! #1  0x00005569913c0734 outer(unsigned long) - /prog/demo
//! #2  0x00007f22740d44a3 - 1
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};
use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::{LeafFirst, THREADS};
use crate::read::lines::for_each_line;
use crate::samples::sample::{Sample, known};
use crate::samples::{End, Loss, Root, Samples, Weighs};

pub(super) const FORMAT: Format =
    Format::new("eu-stack", "Backtraces of elfutils' eu-stack", detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Value);

fn detect(head: &Head<'_>) -> bool {
    let lines = || head.lines().take(100);
    // There may be no frame at all, if eu-stack was not permitted to look.
    let is_other = |line: &[u8]| call(line).is_some() || process(line).is_some();
    lines().any(|line| thread(line).is_some()) && lines().any(is_other)
}

/// `TID 7173:`
fn thread(line: &[u8]) -> Option<&[u8]> {
    let tid = line.strip_prefix(b"TID ")?.strip_suffix(b":")?;
    decimal(tid).map(|_| tid)
}

/// `PID 7171 - process`
fn process(line: &[u8]) -> Option<&[u8]> {
    let (pid, _) = line.strip_prefix(b"PID ")?.split_once_str(" - ")?;
    decimal(pid).map(|_| pid)
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[THREADS]);
    let mut reader = EuStackReader::default();
    for_each_line(input, |_, line| reader.line(line, samples))?;
    reader.finish(samples)?;
    let Threads { with_stack, without } = reader.threads;
    let of_others = "run eu-stack as root or as the owner of the process";
    samples.note_loss(Loss {
        count: without,
        of: "threads",
        recorded: Some(with_stack),
        remedy: if with_stack == 0 { of_others } else { "" },
        is_exact: true,
    });
    Ok(())
}

/// The thread of which eu-stack says that its frames, above the line, are not all.
///
/// ```text
/// eu-stack: tid 7173: shown max number of frames (256, use -n 0 for unlimited)
/// eu-stack: dwfl_thread_getframes tid 7173 at 0x7f22740d44a3 in libc.so.6: Invalid register
/// ```
fn end(line: &[u8]) -> Option<(&[u8], End)> {
    let of_thread = |before: &str, after: &str| {
        let (_, rest) = line.split_once_str(before)?;
        rest.split_once_str(after).map(|(tid, _)| tid)
    };
    let cut = of_thread(": tid ", ": shown max number of frames ");
    let broken = of_thread(": dwfl_thread_getframes tid ", " at 0x");
    cut.map(|tid| (tid, End::Truncated)).or(broken.map(|tid| (tid, End::Broken)))
}

/// The thread that is being read.
#[derive(Default)]
struct EuStackReader {
    stack: LeafFirst,
    pid: Vec<u8>,
    tid: Vec<u8>,
    /// The last frame and its source, which is on the next line.
    last: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether the line of a thread was read, and its sample not yet added.
    is_open: bool,
    threads: Threads,
}

/// How many threads there are.
#[derive(Clone, Copy, Default)]
struct Threads {
    with_stack: u64,
    without: u64,
}

impl EuStackReader {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        // Where the blanks before it were lost, a whole path is a source, too.
        let is_source = line.starts_with(b"    ") || line.starts_with(b"/");
        if let Some(frame) = call(line) {
            let last = self.last.as_ref().and_then(|(last, _)| call(last));
            // With -i, an inlined function has the address of its caller.
            let is_inlined =
                last.is_some_and(|last| last.address == frame.address && last.name != frame.name);
            self.push_last(is_inlined, samples);
            self.last = Some((line.to_vec(), Vec::new()));
        } else if let Some(pid) = process(line) {
            self.finish(samples)?;
            self.pid = pid.to_vec();
        } else if let Some(tid) = thread(line) {
            self.finish(samples)?;
            self.tid = tid.to_vec();
            self.is_open = true;
        } else if let (Some((_, source)), true) = (&mut self.last, is_source) {
            // A build id is in brackets: `    [2f4c...]@0x5569+0x734`.
            if !line.trim_ascii().starts_with(b"[") {
                *source = line.trim_ascii().to_vec();
            }
        } else if let Some((_, end)) = end(line).filter(|(tid, _)| *tid == self.tid) {
            self.stack.end(end);
        }
        Ok(())
    }

    fn push_last(&mut self, inlined: bool, samples: &mut Samples<'_>) {
        let Some((line, source)) = self.last.take() else { return };
        if let Some(frame) = call(&line) {
            self.stack.push(&Frame { source: &source, inlined, ..frame }, samples);
        }
    }

    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.push_last(false, samples);
        let is_open = std::mem::take(&mut self.is_open);
        if self.stack.is_empty() {
            self.threads.without += u64::from(is_open);
            return Ok(());
        }
        self.threads.with_stack += 1;
        let (pid, tid) = (known(&self.pid), known(&self.tid));
        self.stack.add(&Sample { pid, tid, weights: &[1], ..Sample::default() }, samples)
    }
}

/// A line of a backtrace: `#1  0x00005569913c0734 - 1 outer(unsigned long) - /prog/demo`; with -a,
/// ` - 1` marks all frames but those that were interrupted.
fn call(line: &[u8]) -> Option<Frame<'_>> {
    let (number, rest) = line.strip_prefix(b"#")?.split_once_str(" ")?;
    decimal(number)?;
    let rest = rest.trim_ascii();
    let (address, rest) = rest.split_once_str(" ").unwrap_or((rest, b""));
    let address = Some(hexadecimal(address).filter(|_| address.starts_with(b"0x"))?);
    let rest = rest.trim_ascii();
    let rest = match rest.strip_prefix(b"- 1") {
        Some(after) if matches!(after, b"" | [b' ', ..]) => after.trim_ascii(),
        _ => rest,
    };
    if let Some(object) = rest.strip_prefix(b"- ") {
        return Some(Frame { address, object, ..Frame::default() });
    }
    let parts = rest.rsplit_once_str(" - ");
    let parts = parts.filter(|(_, object)| matches!(object, [b'/' | b'[', ..]));
    let (name, object) = parts.unwrap_or((rest, b""));
    Some(Frame { address, name, object, ..Frame::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_taken_apart() {
        for (line, name, object) in [
            (
                "#3  0x00005569913c0734 outer(unsigned long) - /prog/demo",
                "outer(unsigned long)",
                "/prog/demo",
            ),
            ("#5  0x00007f22740d44a3 - /usr/lib/libstdc++.so.6", "", "/usr/lib/libstdc++.so.6"),
            ("#5  0x00007f22740d44a3", "", ""),
            ("#5  0x00007f22740d44a3 - 1 main", "main", ""),
            ("#5  0x00007f22740d44a3 - 1", "", ""),
            (
                "#10 0x0000556 f(int (*)(int)) [clone .isra.0]",
                "f(int (*)(int)) [clone .isra.0]",
                "",
            ),
        ] {
            let call = call(line.as_bytes()).expect(line);
            assert_eq!([call.name.as_bstr(), call.object.as_bstr()], [name, object], "{line}");
        }
        assert!(call(b"#0  main () at demo.c:3").is_none());
    }
}
