//! What the tools of bcc print without `-f`: profile, offcputime, offwaketime, wakeuptime and
//! stackcount, in Python and, as in libbpf-tools, in C. With `-f` they print folded stacks: see
//! [`super::folded`]. Grammar from the print statements of bcc's tools/profile.py,
//! tools/offcputime.py and others.
//!
//! ```text
//! Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.
//!     vfs_read
//!     entry_SYSCALL_64_fastpath
//!     --
//!     read
//!     -                dd (25036)
//!         4
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};
use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::{Frame, Kind};
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::read::own_labels::OwnLabels;
use crate::samples::events::Measure;
use crate::samples::sample::{Sample, known};
use crate::samples::{Loss, Root, Samples};

pub(super) const FORMAT: Format =
    Format::new("bcc", "What profile, offcputime and others of bcc print", detect, parse)
        .root(&Root::Comm);

/// Whether one of the first lines is a tool's title, or names a process with a count below it.
fn detect(head: &Head<'_>) -> bool {
    const LOOKED_AT: usize = 400;
    let lines = || head.lines().take(LOOKED_AT);
    let is_process_and_count = |(line, next): (&[u8], &[u8])| {
        let is_count = next.starts_with(b"        ") && count(next).is_some();
        // The blanks before both may be lost, as in a text that was pasted.
        process(line).is_some() && is_count || is_bare_process(line) && is_bare_count(next)
    };
    lines().zip(lines().skip(1)).any(is_process_and_count)
        || lines().take(5).any(|line| title(line).is_some())
}

/// What the samples are, from the line that a tool prints first.
fn title(line: &[u8]) -> Option<Measure<'static>> {
    if sampling(line).is_some() {
        return Some(Measure { name: b"cpu-clock", unit: b"samples" });
    }
    let rest = line.strip_prefix(b"Tracing ")?;
    if rest.starts_with(b"off-CPU time (us) ") {
        Some(Measure { name: b"off-cpu", unit: b"microseconds" })
    } else if rest.starts_with(b"blocked time (us) ") {
        Some(Measure { name: b"blocked", unit: b"microseconds" })
    } else if rest.contains_str(" functions for ") {
        Some(Measure { name: b"calls", unit: b"calls" })
    } else {
        None
    }
}

/// How often `profile` samples.
#[derive(Debug, PartialEq, Eq)]
enum Sampling {
    Hertz(u64),
    Nanoseconds(u64),
}

/// `Sampling at 49 Hertz of all threads`, or with `-c` `Sampling at every 1000000 events of`: the
/// events of the clock are nanoseconds.
fn sampling(line: &[u8]) -> Option<Sampling> {
    let rate = line.strip_prefix(b"Sampling at ")?;
    let number = |rate: &[u8], unit: &str| decimal(rate.split_once_str(unit)?.0);
    let every = rate.strip_prefix(b"every ").and_then(|rate| number(rate, " events of "));
    every.map(Sampling::Nanoseconds).or_else(|| number(rate, " Hertz of ").map(Sampling::Hertz))
}

/// How many stacks are missing, and whether there was no room for them.
fn missing_stacks(line: &[u8]) -> Option<(u64, bool)> {
    let (count, rest) = line.strip_prefix(b"WARNING: ")?.split_once_str(" stack traces ")?;
    let rest = rest.strip_prefix(b"lost and ").unwrap_or(rest);
    let rest = rest.strip_prefix(b"could not be displayed.")?;
    Some((decimal(count)?, rest.contains_str("--stack-storage-size")))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = BccReader::default();
    let mut last = 0;
    for_each_line(input, |number, line| {
        last = number;
        reader.line(number, line, samples)
    })?;
    if !reader.lines.is_empty() {
        samples.malformed(last, "expected a count below the last stack");
    }
    if reader.lacks_samples {
        samples.doubt("the table was full: samples are missing, use a larger --hash-storage-size");
    }
    samples.note_loss(Loss {
        count: reader.missing,
        of: "stacks",
        recorded: None,
        remedy: if reader.is_full { "use a larger --stack-storage-size" } else { "" },
        // New versions print a frame in place of a missing stack, old ones drop its weight.
        is_exact: false,
    });
    Ok(())
}

/// The sample that is being read.
#[derive(Default)]
struct BccReader {
    stack: LeafFirst,
    comm: Vec<u8>,
    pid: Vec<u8>,
    /// The thread that woke the other one, and its process, where they are printed.
    waker: Vec<u8>,
    waker_pid: Vec<u8>,
    has_measure: bool,
    /// The lines of the frames. They are kept until the count, as a `--` that follows makes them
    /// the kernel's.
    lines: Vec<Vec<u8>>,
    /// The lines since an empty one that have no blanks before them: frames if a count follows.
    bare: Vec<Vec<u8>>,
    /// How many stacks are missing, and whether there was no room for some.
    missing: u64,
    is_full: bool,
    /// Whether there was no room for some samples.
    lacks_samples: bool,
}

/// How many lines without blanks before them may be frames. A stack has 127 frames at most, and
/// there are two.
const MOST_BARE: usize = 512;

impl BccReader {
    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let text = line.trim_ascii();
        if let Some(measure) = title(line) {
            self.has_measure = true;
            samples.events.set_measures(&[measure]);
            match sampling(line) {
                Some(Sampling::Hertz(hertz)) => samples.facts.note_rate(Some(hertz)),
                Some(Sampling::Nanoseconds(every)) => samples.facts.note_interval(every),
                None => {}
            }
        } else if let Some((count, is_full)) = missing_stacks(line) {
            self.missing = self.missing.saturating_add(count);
            self.is_full |= is_full;
        } else if line.starts_with(b"WARNING: hash table full.") {
            self.lacks_samples = true;
        } else if let Some(count) = count(line) {
            return self.sample(count, samples);
        } else if let Some((comm, pid)) = process(line) {
            (self.comm, self.pid) = (comm.to_vec(), pid.to_vec());
        } else if line.starts_with(b"  ") && !text.is_empty() {
            self.frame_line(text);
        } else if text.is_empty() {
            self.bare.clear();
        } else if !self.lines.is_empty() {
            // `^C`, `Detaching...`, what the shell echoed.
            samples.skipped.add(number, "expected a frame or a count");
        } else {
            return self.bare_line(line, samples);
        }
        Ok(())
    }

    /// Reads a line that has no blanks before it: of a text that lost them, or what a shell or a
    /// person wrote. An empty line is after each count, so a number ends only what is its own.
    fn bare_line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        if is_bare_count(line) && !self.bare.is_empty() {
            for line in std::mem::take(&mut self.bare) {
                match bare_process(&line) {
                    Some((comm, pid)) => (self.comm, self.pid) = (comm.to_vec(), pid.to_vec()),
                    None => self.frame_line(&line),
                }
            }
            return self.sample(decimal(line.trim_ascii()).unwrap_or_default(), samples);
        }
        if line.starts_with(b"^C") || self.bare.len() == MOST_BARE {
            self.bare.clear();
        } else {
            self.bare.push(line.trim_ascii().to_vec());
        }
        Ok(())
    }

    fn frame_line(&mut self, text: &[u8]) {
        if let Some(waker) = text.strip_prefix(b"waker:") {
            let (name, pid) = name_and_pid(waker);
            (self.waker, self.waker_pid) = (name.to_vec(), pid.to_vec());
        }
        self.lines.push(text.to_vec());
    }

    /// Ends a sample.
    fn sample(&mut self, count: u64, samples: &mut Samples<'_>) -> Result<()> {
        self.push_lines(samples);
        self.add(count, samples)
    }

    /// Pushes the frames that were kept: those before a `--` are the kernel's.
    fn push_lines(&mut self, samples: &mut Samples<'_>) {
        let lines = std::mem::take(&mut self.lines);
        let delimiter = lines.iter().position(|line| line == b"--");
        for (place, line) in lines.iter().enumerate() {
            let frame = frame(line);
            let is_kernel = delimiter.is_some_and(|delimiter| place < delimiter);
            let kind = if is_kernel { Kind::Kernel } else { frame.kind };
            self.stack.push(&Frame { kind, ..frame }, samples);
        }
    }

    fn add(&mut self, count: u64, samples: &mut Samples<'_>) -> Result<()> {
        if !std::mem::replace(&mut self.has_measure, true) {
            // Only the title says what is counted, and it is missing.
            samples.events.set_measures(&[Measure { name: b"", unit: b"" }]);
        }
        let pid = known(&self.pid);
        let sample = Sample { comm: &self.comm, pid, weights: &[count], ..Sample::default() };
        let mut labels = OwnLabels::default();
        if samples.wants.labels() {
            labels.add_known(FORMAT.name, "waker", &self.waker);
            labels.add_known(FORMAT.name, "waker_pid", &self.waker_pid);
        }
        let labels = labels.list();
        let added = self.stack.add(&Sample { labels: &labels, ..sample }, samples);
        self.waker.clear();
        self.waker_pid.clear();
        self.comm.clear();
        self.pid.clear();
        added
    }
}

/// `        4`
fn count(line: &[u8]) -> Option<u64> {
    if line.starts_with(b"    ") { decimal(line.trim_ascii()) } else { None }
}

/// `    -                dd (25036)`, `    target:          cksum`,
/// `    target:          cksum 25036`: the name and the process.
fn process(line: &[u8]) -> Option<(&[u8], &[u8])> {
    bare_process(line.strip_prefix(b"    ")?)
}

/// The name and the process in a line without the blanks before it.
fn bare_process(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(target) = line.strip_prefix(b"target:") {
        return Some(name_and_pid(target));
    }
    let (comm, pid) = line.strip_prefix(b"-  ")?.strip_suffix(b")")?.rsplit_once_str(" (")?;
    decimal(pid).map(|_| (comm.trim_ascii(), pid))
}

/// Whether this can only be the line of a process: `-` is padded to sixteen columns.
fn is_bare_process(line: &[u8]) -> bool {
    line.starts_with(b"-               ") && bare_process(line).is_some()
}

/// `4`
fn is_bare_count(line: &[u8]) -> bool {
    decimal(line.trim_ascii_end()).is_some()
}

/// `          cksum 25036`; older ones print no process.
fn name_and_pid(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii();
    let parts = text.rsplit_once_str(" ").filter(|(_, pid)| decimal(pid).is_some());
    parts.unwrap_or((text, b""))
}

/// Reads a frame: `read`, `ffffffff8137897c blk_mq_end_request`, `func_a+0x1f`, or in libbpf-tools
/// `#3  0x00007f2274 main+0x1c (/prog/demo)`. In offwaketime `waker:           swapper/0` is the
/// thread that woke the other one, and `-    -` separates the two stacks.
fn frame(line: &[u8]) -> Frame<'_> {
    if let Some(waker) = line.strip_prefix(b"waker:") {
        return Frame { name: name_and_pid(waker).0, ..Frame::default() };
    }
    if line.starts_with(b"-  ") {
        return Frame { name: b"--", ..Frame::default() };
    }
    let numbered = line.strip_prefix(b"#").and_then(|rest| rest.split_once_str(" "));
    let rest = numbered.map_or(line, |(_, rest)| rest.trim_ascii_start());
    let parts = rest.split_once_str(" ").unwrap_or((rest, b""));
    let address = hexadecimal(parts.0).filter(|_| parts.0.len() >= 8);
    let (symbol, object) = match (address, parts.1.trim_ascii()) {
        (None, _) => (rest, &b""[..]),
        (Some(_), symbol) => with_object(symbol),
    };
    let name = match without_offset(symbol) {
        b"[unknown]" => b"",
        name => name,
    };
    Frame { name, address, object, kind: Kind::of_object(object, address), ..Frame::default() }
}

fn with_object(symbol: &[u8]) -> (&[u8], &[u8]) {
    let parts = symbol.strip_suffix(b")").and_then(|inner| inner.rsplit_once_str(" ("));
    parts.filter(|(_, object)| matches!(object, [b'/' | b'[', ..])).unwrap_or((symbol, b""))
}

fn without_offset(symbol: &[u8]) -> &[u8] {
    match symbol.rsplit_once_str("+0x") {
        Some((name, offset)) if hexadecimal(offset).is_some() && !name.is_empty() => name,
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(
            process(b"    -                V8 Work (er) (9036)"),
            Some((&b"V8 Work (er)"[..], &b"9036"[..]))
        );
        assert_eq!(process(b"    target:          cksum"), Some((&b"cksum"[..], &b""[..])));
        assert_eq!(process(b"    target:          my sum 7"), Some((&b"my sum"[..], &b"7"[..])));
        assert_eq!(process(b"    -                -"), None);
        assert_eq!(count(b"        12"), Some(12));
        assert_eq!(count(b"12"), None);
    }

    #[test]
    fn frames_lose_their_addresses_and_offsets() {
        for (line, name) in [
            ("read", "read"),
            ("[unknown]", ""),
            ("operator new(unsigned long)", "operator new(unsigned long)"),
            ("f() [clone .isra.0]", "f() [clone .isra.0]"),
            ("ffffffff8137897c blk_mq_end_request", "blk_mq_end_request"),
            ("do_idle+0x1f", "do_idle"),
            ("#3  0x00007f2274000000 main+0x1c (/prog/demo)", "main"),
            ("waker:           swapper/0", "swapper/0"),
            ("-                -", "--"),
            ("[Missed Kernel Stack]", "[Missed Kernel Stack]"),
        ] {
            assert_eq!(frame(line.as_bytes()).name, name.as_bytes(), "{line}");
        }
    }
}
