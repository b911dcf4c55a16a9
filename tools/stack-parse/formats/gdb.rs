//! What `gdb -p PID -batch -ex 'thread apply all bt'` prints, as do pstack and gstack,
//! once or again and again. Grammar from gdb's stack.c and thread.c.
//!
//! ```text
//! Thread 2 (Thread 0x7f2273d1d6c0 (LWP 7173) "V8 Worker Thr"):
//! #0  0x00005569913c0734 in (anonymous namespace)::Hidden::mix (x=<optimized out>) at demo.cpp:14
//! #1  inl1 (n=n@entry=2000) at demo.cpp:20
//! #2  0x00007f22740d44a3 in ?? () from /lib/libstdc++.so.6
//! [Inferior 1 (process 7171) detached]
//! ```

mod frame_line;

use bstr::ByteSlice;
use common::{Result, folded::Label, io::Input, numbers::decimal};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::{LeafFirst, THREADS};
use crate::read::lines::for_each_line;
use crate::samples::sample::{Sample, known};
use crate::samples::{End, Root, Samples, Weighs};
use frame_line::FrameLine;

pub(super) const FORMAT: Format = Format::new("gdb", "Backtraces of gdb and pstack", detect, parse)
    .root(&Root::Comm)
    .weighs(Weighs::Value);

/// A frame gets no more lines at this length, in bytes: it is parsed again with each line.
const LONGEST_CALL: usize = 16 * 1024;

/// Whether one of the first lines is the leaf of a backtrace, or the head of a thread's.
fn detect(head: &Head<'_>) -> bool {
    const LOOKED_AT: usize = 200;
    let is_leaf = |line: &[u8]| FrameLine::of(line).is_some_and(|frame| frame.number == 0);
    let lines = || head.lines().take(LOOKED_AT);
    let is_eu_stack = lines().any(|line| line.starts_with(b"TID "));
    // Its report of an error has frames like gdb's.
    let is_of_sanitizer = || lines().any(|line| line.contains_str("Sanitizer: "));
    let is_backtrace = || lines().any(is_leaf) && !is_of_sanitizer();
    !is_eu_stack && (lines().any(|line| Thread::of(line).is_some()) || is_backtrace())
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[THREADS]);
    let mut reader = GdbReader::default();
    for_each_line(input, |_, line| reader.line(line, samples))?;
    reader.finish(samples)
}

/// The thread that is being read.
#[derive(Default)]
struct GdbReader {
    stack: LeafFirst,
    thread: Thread,
    /// The line of the last frame, which is not pushed yet: the next line shows whether it was
    /// inlined, or is the rest of it.
    last: Option<Vec<u8>>,
    /// The last line, if it looks like a frame without arguments. It is a frame if the next line
    /// begins with arguments.
    name_alone: Option<Vec<u8>>,
}

impl GdbReader {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let name_alone = self.name_alone.take();
        // The blanks before the arguments of a name that stands alone may be lost, too.
        let is_of_name =
            name_alone.is_some() && line.starts_with(b"(") && !line.starts_with(b"(gdb");
        if let Some(rest) = continued(line).or(is_of_name.then_some(line)) {
            if let Some(name) = name_alone.filter(|_| rest.starts_with(b"(")) {
                self.frame(&[&name, &b" "[..], rest].concat(), samples)?;
            } else {
                self.continue_last(rest);
            }
        } else if self.frame(line, samples)? {
            return Ok(());
        } else if let Some(thread) = Thread::of(line) {
            self.finish(samples)?;
            self.thread = thread;
        } else if line.starts_with(b"[Inferior ") {
            self.finish(samples)?;
        } else if line.starts_with(b"#") {
            self.name_alone = Some(line.to_vec());
        } else if let Some(end) = end(line).filter(|_| self.last.is_some()) {
            self.stack.end(end);
        }
        Ok(())
    }

    /// Keeps a line if it is a frame, and says whether it is.
    fn frame(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        let Some(frame) = FrameLine::of(line) else { return Ok(false) };
        if frame.number == 0 {
            self.finish_stack(samples)?;
        }
        // gdb prints no address for the frame into which the last one was inlined.
        let is_inlined = frame.number > 0 && frame.address.is_none() && !frame.is_special();
        self.push_last(is_inlined, samples);
        self.last = Some(line.to_vec());
        Ok(true)
    }

    /// Adds the rest of a broken line to the last frame, if that is incomplete and not too long
    /// yet.
    fn continue_last(&mut self, rest: &[u8]) {
        let goes_on =
            |last: &&mut Vec<u8>| last.len() < LONGEST_CALL && FrameLine::goes_on(last, rest);
        if let Some(last) = self.last.as_mut().filter(goes_on) {
            if !matches!(last.last(), Some(b' ' | b'(')) {
                last.push(b' ');
            }
            last.extend_from_slice(rest);
        }
    }

    fn push_last(&mut self, inlined: bool, samples: &mut Samples<'_>) {
        let Some(line) = self.last.take() else { return };
        if let Some(FrameLine { address, name, object, source, .. }) = FrameLine::of(&line) {
            let frame = Frame { name, object, address, source, inlined, ..Frame::default() };
            self.stack.push(&frame, samples);
        }
    }

    fn finish_stack(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.push_last(false, samples);
        if self.stack.is_empty() {
            return Ok(());
        }
        let Thread { number, tid, name } = &self.thread;
        let labels = [Label { key: b"thread", value: number }];
        let labels = if number.is_empty() { &[] } else { &labels[..] };
        let sample =
            Sample { comm: name, tid: known(tid), weights: &[1], labels, ..Sample::default() };
        self.stack.add(&sample, samples)
    }

    /// Ends a thread.
    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.finish_stack(samples)?;
        self.thread = Thread::default();
        Ok(())
    }
}

/// What gdb says below a backtrace that has not all frames:
/// `Backtrace stopped: previous frame inner to this frame (corrupt stack?)`.
fn end(line: &[u8]) -> Option<End> {
    match line {
        b"(More stack frames follow...)" => Some(End::Truncated),
        _ => line.starts_with(b"Backtrace stopped: ").then_some(End::Broken),
    }
}

/// The rest of a frame's line that gdb broke, as it does in a terminal of 80 columns, and old
/// versions do also in files. Local variables are indented more.
///
/// ```text
/// #1  0x00007f90879e4c0f in poll_func (ufds=0x7f90978d4b00, nfds=2, timeout=-1,
///     userdata=0x7f908807ec70) at pulse/thread-mainloop.c:75
///         mutex = 0x7f908807ec70
/// ```
fn continued(line: &[u8]) -> Option<&[u8]> {
    // These two need no blanks, which may be lost, as in a text that was pasted.
    if line.starts_with(b"at /") || line.starts_with(b"from /") {
        return Some(line);
    }
    let rest = line.strip_prefix(b"   ")?;
    let rest = if rest.starts_with(b"from ") { rest } else { rest.strip_prefix(b" ")? };
    Some(rest).filter(|rest| rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()))
}

/// The head of a thread.
#[derive(Default)]
struct Thread {
    /// The number that gdb gave it.
    number: Vec<u8>,
    tid: Vec<u8>,
    name: Vec<u8>,
}

impl Thread {
    /// `Thread 3 (Thread 0x7f227351c6c0 (LWP 7174) "io:wrk/1 [x]"):`,
    /// `Thread 1 (process 7171):`, `Thread 1 (LWP 7171):`
    fn of(line: &[u8]) -> Option<Thread> {
        let (number, rest) = line.strip_prefix(b"Thread ")?.split_once_str(" (")?;
        decimal(number)?;
        let rest = rest.strip_suffix(b":")?.strip_suffix(b")")?;
        let (ids, name) = match rest.split_once_str(" \"") {
            Some((ids, name)) => (ids, name.strip_suffix(b"\"").unwrap_or(name)),
            None => (rest, &b""[..]),
        };
        let after = |word: &str| ids.split_once_str(word).map(|(_, rest)| rest);
        let id = after("LWP ").or_else(|| after("process ")).unwrap_or_default();
        let end = id.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(id.len());
        let [number, tid, name] = [number, &id[..end], name].map(<[u8]>::to_vec);
        Some(Thread { number, tid, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_and_names() {
        for (line, expected) in [
            (
                r#"Thread 3 (Thread 0x7f (LWP 7174) "io:wrk/1 [x]"):"#,
                Some(("7174", "io:wrk/1 [x]")),
            ),
            (r#"Thread 3 (Thread 0x7f (LWP 7174) "a" b (c)"):"#, Some(("7174", r#"a" b (c)"#))),
            ("Thread 2 (Thread 0x7f (LWP 7173)):", Some(("7173", ""))),
            ("Thread 1 (process 12):", Some(("12", ""))),
            ("Thread 0x00007ff2 (most recent call first):", None),
        ] {
            let thread = Thread::of(line.as_bytes()).map(|it| (it.tid, it.name));
            assert_eq!(thread, expected.map(|(tid, name)| (tid.into(), name.into())), "{line}");
        }
    }
}
