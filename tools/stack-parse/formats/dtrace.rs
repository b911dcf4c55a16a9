//! What DTrace prints of aggregations by stack, as of
//! `dtrace -n 'profile-997 { @[execname, stack(), ustack()] = count(); }'`. Grammar from
//! libdtrace's dt_consume.c.
//!
//! ```text
//! CPU     ID                    FUNCTION:NAME
//!   0  64091                        :tick-60s
//!
//!               genunix`fop_write+0x44
//!               unix`sys_syscall+0x17a
//!
//!               libc.so.1`__write+0x15
//!               mysqld`my_write(int, char const*)+0x2f
//!                11
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};
use common::{Result, io::Input};

use crate::format::{Extra, Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::samples::sample::{Sample, known};
use crate::samples::{Loss, Root, Samples};

pub(super) const FORMAT: Format =
    Format::new("dtrace", "What DTrace prints of aggregations by stack", detect, parse)
        .root(&Root::Comm)
        .extras(&[Extra::Indented(has_lost_blanks)]);

/// Frames are indented further than anything else.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    let has_offset = |line: &[u8]| line.contains(&b'`') && line.contains_str("+0x");
    above.is_empty() && has_offset(line) && !line.starts_with(b" ")
}

/// The indentation of frames: the default of DTrace's `stackindent`.
const INDENT: usize = 14;

/// Whether the first lines have the title of DTrace's table, or a frame of a module and, later, a
/// line that is only a number.
fn detect(head: &Head<'_>) -> bool {
    if head.lines().take(5).any(is_title) {
        return true;
    }
    if !head.bytes.contains(&b'`') {
        return false;
    }
    let has_module = |line: &[u8]| {
        let module = line.trim_ascii().split_once_str("`").map(|(module, _)| module);
        line.starts_with(b"  ") && module.is_some_and(|module| !module.contains(&b' '))
    };
    let mut lines = head.lines().skip_while(|line| !has_module(line));
    lines.next().is_some() && lines.any(|line| decimal(line.trim_ascii()).is_some())
}

/// `CPU     ID                    FUNCTION:NAME`
fn is_title(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.next() == Some(b"CPU")
        && words.next() == Some(b"ID")
        && words.next() == Some(b"FUNCTION:NAME")
}

/// `  0  64091                        :tick-60s`
fn is_probe(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let mut is_number = || words.next().is_some_and(|word| decimal(word).is_some());
    is_number() && is_number() && words.next().is_some_and(|word| word.contains(&b':'))
}

/// Whether a line is a frame: a module and a function, an address, or anything with the indentation
/// of frames, as Java's methods have no module.
fn is_frame(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let indent = line.len() - line.trim_ascii_start().len();
    text.starts_with(b"0x") && hexadecimal(text).is_some()
        || text.contains(&b'`') && line.starts_with(b" ")
        || indent == INDENT && decimal(text).is_none() && !text.is_empty()
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = DtraceReader::default();
    for_each_line(input, |number, line| reader.line(number, line, samples))?;
    reader.finish(samples)
}

/// The sample that is being read.
#[derive(Default)]
struct DtraceReader {
    stack: LeafFirst,
    /// The number of frames of the user's stack, if the kernel's was printed after it.
    first: Option<usize>,
    /// Whether the frames read so far are the user's.
    is_user: bool,
    is_blank: bool,
    comm: Vec<u8>,
    pid: Vec<u8>,
    /// A line that ends in a number. It is the end of a sample unless a frame follows: then it is a
    /// key before a stack, such as a process.
    pending: Option<Vec<u8>>,
    said: Said,
    last: u64,
}

/// What DTrace says of itself between the samples.
#[derive(Clone, Copy, Default)]
struct Said {
    drops: u64,
    errors: u64,
    /// Stacks with more names than DTrace had room for.
    overflows: u64,
}

impl DtraceReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        self.last = number;
        let text = line.trim_ascii();
        if let Some(said) = line.strip_prefix(b"dtrace: ") {
            self.said.note(said);
        } else if text.is_empty() {
            self.end_sample(samples)?;
            self.is_blank = true;
            if self.stack.is_empty() {
                // Keys are directly above stacks: the line before was not a key.
                self.comm.clear();
                self.pid.clear();
            }
        } else if is_frame(line) {
            if let Some(pending) = self.pending.take() {
                self.key(&pending);
            }
            self.push(text, samples);
        } else if is_title(line) || is_probe(line) {
            self.end_sample(samples)?;
        } else {
            self.end_sample(samples)?;
            if weight(text).is_some() {
                self.pending = Some(text.to_vec());
            } else {
                self.key(text);
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &[u8], samples: &mut Samples<'_>) {
        let is_user = is_users(text);
        if std::mem::take(&mut self.is_blank) && !self.stack.is_empty() && self.first.is_none() {
            // The user calls the kernel: @[ustack(), stack()] prints the user first.
            self.first = Some(self.stack.len()).filter(|_| self.is_user && !is_user);
        }
        self.is_user |= is_user;
        self.stack.push(&frame(text), samples);
    }

    /// Takes a key that is no stack: a number is the process, all else the name.
    fn key(&mut self, text: &[u8]) {
        let kept = if decimal(text).is_some() { &mut self.pid } else { &mut self.comm };
        kept.clear();
        kept.extend_from_slice(text);
    }

    /// Adds the sample that ends in the pending line, if there is one.
    fn end_sample(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        let Some((key, weight)) = weight(&pending) else { return Ok(()) };
        if !key.is_empty() {
            self.key(key);
        }
        if let Some(first) = self.first.take() {
            self.stack.put_last(first);
        }
        // DTrace prints neither whether this is count() or sum(), nor of what.
        samples.events.announce(b"", b"");
        let pid = known(&self.pid);
        let sample = Sample { comm: &self.comm, pid, weights: &[weight], ..Sample::default() };
        let added = self.stack.add(&sample, samples);
        *self = DtraceReader {
            last: self.last,
            said: self.said,
            stack: std::mem::take(&mut self.stack),
            ..DtraceReader::default()
        };
        added
    }

    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.end_sample(samples)?;
        if !self.stack.is_empty() {
            samples.malformed(self.last, "expected a number below the last stack");
        }
        self.said.report(samples);
        Ok(())
    }
}

impl Said {
    /// Reads what follows `dtrace: `. The number at its end is no weight:
    ///
    /// ```text
    /// 12 drops on CPU 0
    /// [DTRACEDROP_AGGREGATION] 3 aggregation drops on CPU 4
    /// 7 dynamic variable drops with non-empty dirty list
    /// error on enabled probe ID 1 (ID 24: a:b:c:d): invalid address in action #1 at DIF offset 12
    /// description 'profile-997 ' matched 1 probe
    /// ```
    fn note(&mut self, said: &[u8]) {
        const DROPS: [&str; 5] = [
            "drop",
            "aggregation drop",
            "dynamic variable drop",
            "speculative drop",
            "failed speculation",
        ];
        if said.starts_with(b"error on enabled probe ") {
            self.errors += 1;
            return;
        }
        let tag = said.strip_prefix(b"[DTRACEDROP_").and_then(|rest| rest.split_once_str("] "));
        let said = tag.map_or(said, |(_, rest)| rest);
        let Some((count, of)) = said.split_once_str(" ") else { return };
        let Some(count) = decimal(count) else { return };
        if DROPS.iter().any(|kind| of.starts_with(kind.as_bytes())) {
            self.drops = self.drops.saturating_add(count);
        } else if of.starts_with(b"jstack()/ustack() string table overflow") {
            self.overflows = self.overflows.saturating_add(count);
        }
    }

    fn report(self, samples: &mut Samples<'_>) {
        for (count, of, remedy) in [
            (
                self.drops,
                "samples or other records",
                "use larger buffers, -x aggsize=64m -x bufsize=64m",
            ),
            (self.errors, "records of probes with errors", ""),
        ] {
            samples.note_loss(Loss { count, of, recorded: None, remedy, is_exact: false });
        }
        samples.note_count(
            self.overflows,
            "stacks have more names than DTrace had room for: -x jstackstrsize=4096 gives more",
        );
    }
}

/// The number at the end of a line, and the key before it: `11`, `bash          11`.
fn weight(text: &[u8]) -> Option<(&[u8], u64)> {
    let (key, number) = text.rsplit_once_str(" ").unwrap_or((b"", text));
    Some((key.trim_ascii(), decimal(number)?))
}

/// Whether a frame is of a program or a library: `libc.so.1`, `libjvm.dylib`.
fn is_users(text: &[u8]) -> bool {
    let module = text.split_once_str("`").map_or(&b""[..], |(module, _)| module);
    module.contains_str(".so") || module.ends_with(b".dylib") || module == b"a.out"
}

/// The frame of a line. The name of ``genunix`kmem_cache_free+0xce`` is all but its offset, as the
/// module is a part of DTrace's names. A frame without a symbol, ``unix`0xfffffffffb8001d6``, has
/// its module and its address.
fn frame(text: &[u8]) -> Frame<'_> {
    let (object, symbol) = text.split_once_str("`").unwrap_or((b"", text));
    if let Some(address) = hexadecimal(symbol).filter(|_| symbol.starts_with(b"0x")) {
        return Frame { object, address: Some(address), ..Frame::default() };
    }
    let name = match text.rsplit_once_str("+0x") {
        Some((name, offset)) if hexadecimal(offset).is_some() => name,
        _ => text,
    };
    Frame { name, ..Frame::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert!(is_title(b"CPU     ID                    FUNCTION:NAME"));
        assert!(is_probe(b" 30  76446                       :tick-10ms "));
        assert!(!is_probe(b"  mysqld                 11"));
        for (line, expected) in [
            ("              genunix`open+0x25", true),
            ("  test`main", true),
            ("              java/lang/Thread.run()V*", true),
            ("              0xfeedface", true),
            ("               11", false),
            ("              11", false),
            ("  mysqld", false),
            ("", false),
        ] {
            assert_eq!(is_frame(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(weight(b"mysql d     11"), Some((&b"mysql d"[..], 11)));
        assert_eq!(weight(b"11"), Some((&b""[..], 11)));
        assert_eq!(weight(b"mysqld"), None);
    }

    #[test]
    fn frames_lose_their_offsets() {
        for (text, name) in [
            ("genunix`open+0x25", "genunix`open"),
            ("libjvm.so`f(int, g<a>)+0x1", "libjvm.so`f(int, g<a>)"),
            ("test`foo->bar", "test`foo->bar"),
            ("unix`0xfffffffffb8001d6", ""),
            ("0xfeed", ""),
        ] {
            assert_eq!(frame(text.as_bytes()).name, name.as_bytes(), "{text}");
        }
    }
}
