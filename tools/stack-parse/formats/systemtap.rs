//! Stacks that SystemTap scripts print with `print_backtrace()`, `print_ubacktrace()`,
//! `print_stack()` and `print_ustack()`. A line with only a number ends a sample and is its weight,
//! as printed by `foreach (s in n) { print_stack(s); printf("\t%d\n", n[s]) }`. Grammar from
//! SystemTap's runtime/sym.c.
//!
//! ```text
//!  0xffffffff8102b3f0 : native_safe_halt+0x0/0x10 [kernel]
//!  0x7f2273ec5a71 : clock_nanosleep+0x61/0xf0 [/usr/lib/libc.so.6]
//!  0x55d0c1c4a362 [/prog/demo+0x1362/0x5000]
//! <TAB>12
//! ```

use bstr::ByteSlice;
use common::numbers::{decimal, hexadecimal};
use common::{Result, io::Input};

use crate::format::{Format, Head};
use crate::frame::{Frame, Kind};
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::samples::sample::Sample;
use crate::samples::{Loss, Root, Samples};

pub(super) const FORMAT: Format =
    Format::new("systemtap", "Stacks that scripts of SystemTap print", detect, parse)
        .root(&Root::Comm);

fn detect(head: &Head<'_>) -> bool {
    let has_object = |line: &[u8]| line.ends_with(b"]") || line.ends_with(b"] (inexact)");
    let is_frame = |line: &[u8]| has_object(line) && frame(line).is_some();
    head.lines().take(100).any(|line| line.contains_str(" : ") && is_frame(line.trim_ascii_end()))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut reader = Reader::default();
    for_each_line(input, |_, line| reader.line(line, samples))?;
    reader.finish(samples)
}

#[derive(Default)]
struct Reader {
    stack: LeafFirst,
    comm: Vec<u8>,
    warned: Warned,
    /// How many frames are marked `(inexact)`.
    inexact: u64,
}

/// What SystemTap says at the end if its script did not run as it should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Warned {
    errors: u64,
    skipped: u64,
}

impl Warned {
    /// Reads `WARNING: Number of errors: 0, skipped probes: 142`.
    fn of(text: &[u8]) -> Option<Warned> {
        let numbers = text.strip_prefix(b"WARNING: Number of errors: ")?;
        let (errors, skipped) = numbers.split_once_str(", skipped probes: ")?;
        Some(Warned { errors: decimal(errors)?, skipped: decimal(skipped)? })
    }
}

impl Reader {
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<()> {
        let text = line.trim_ascii();
        if let Some(frame) = frame(line) {
            self.inexact += u64::from(text.ends_with(INEXACT));
            self.stack.push(&frame, samples);
        } else if let Some(weight) = decimal(text) {
            return self.add(weight, samples);
        } else if text.starts_with(b"WARNING: ") || text.starts_with(b"ERROR: ") {
            // SystemTap prints it to standard error, so it may be within a stack.
            let Warned { errors, skipped } = Warned::of(text).unwrap_or_default();
            self.warned.errors = self.warned.errors.saturating_add(errors);
            self.warned.skipped = self.warned.skipped.saturating_add(skipped);
        } else {
            self.end(samples)?;
            self.comm = text.to_vec();
        }
        Ok(())
    }

    /// Adds the stack, if it has frames and no number: it is one sample.
    fn end(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.stack.is_empty() { Ok(()) } else { self.add(1, samples) }
    }

    fn add(&mut self, weight: u64, samples: &mut Samples<'_>) -> Result<()> {
        // The output does not show what is counted.
        samples.events.announce(b"", b"");
        let sample = Sample { comm: &self.comm, weights: &[weight], ..Sample::default() };
        let added = self.stack.add(&sample, samples);
        self.comm.clear();
        added
    }

    fn finish(mut self, samples: &mut Samples<'_>) -> Result<()> {
        self.end(samples)?;
        let Warned { errors, skipped } = self.warned;
        // A probe need not be one that prints a stack.
        let (recorded, remedy, is_exact) = (None, "", false);
        samples.note_loss(Loss { count: skipped, of: "probes", recorded, remedy, is_exact });
        samples.note_counts(&[
            (errors, "errors of the script: stacks may be missing"),
            (self.inexact, "frames are marked (inexact): they may not be callers"),
        ]);
        Ok(())
    }
}

/// The mark of an address that was found by a search of the stack.
const INEXACT: &[u8] = b" (inexact)";

/// A line of a stack; it may end in `(inexact)`.
fn frame(line: &[u8]) -> Option<Frame<'_>> {
    let text = line.trim_ascii();
    let text = text.strip_prefix(b"Returning from: ").unwrap_or(text);
    let text = text.strip_prefix(b"Returning to  : ").unwrap_or(text);
    let text = text.strip_suffix(INEXACT).unwrap_or(text);
    let (first, rest) = text.split_once_str(" ").unwrap_or((text, b""));
    let address = Some(hexadecimal(first).filter(|_| first.starts_with(b"0x"))?);
    let symbol = rest.strip_prefix(b": ").unwrap_or(rest);
    let parts = symbol.strip_suffix(b"]").and_then(|symbol| symbol.rsplit_once_str("["));
    let (function, object) = parts.unwrap_or((symbol, b""));
    let object = without_offset(object);
    let name = without_offset(function.trim_ascii());
    let name = if name.starts_with(b"0x") { b"" } else { name };
    let kind = match object {
        b"kernel" => Kind::Kernel,
        _ => Kind::of_object(object, address),
    };
    Some(Frame { name, object, address, kind, ..Frame::default() })
}

/// `clock_nanosleep+0x61/0xf0`
fn without_offset(symbol: &[u8]) -> &[u8] {
    let parts = symbol.rsplit_once_str("+0x");
    let is_offset =
        |offset: &[u8]| offset.split(|byte| *byte == b'/').all(|it| hexadecimal(it).is_some());
    parts.filter(|(_, offset)| is_offset(offset)).map_or(symbol, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_warning_counts_errors_and_probes() {
        let warned = |text: &str| Warned::of(text.as_bytes());
        let expected = Warned { errors: 3, skipped: 142 };
        assert_eq!(warned("WARNING: Number of errors: 3, skipped probes: 142"), Some(expected));
        assert_eq!(warned("WARNING: Number of errors: x, skipped probes: 142"), None);
        assert_eq!(warned("WARNING: Skipped due to low stack: 1"), None);
    }

    #[test]
    fn a_frame_is_taken_apart() {
        for (line, name, object) in [
            (
                " 0xffffffff8102b3f0 : native_safe_halt+0x0/0x10 [kernel]",
                "native_safe_halt",
                "kernel",
            ),
            (
                " 0x7f2273ec5a71 : std::map<int, a>::at(int)+0x61/0xf0 [/usr/lib/libc.so.6]",
                "std::map<int, a>::at(int)",
                "/usr/lib/libc.so.6",
            ),
            (" 0x55d0c1c4a362 [/prog/demo+0x1362/0x5000]", "", "/prog/demo"),
            (" 0x55d0c1c4a362 : 0x55d0c1c4a362", "", ""),
            (" 0xffffffff81091f77 : f+0x1/0x2 [nfs] (inexact)", "f", "nfs"),
            (" 0x0", "", ""),
        ] {
            let frame = frame(line.as_bytes()).expect(line);
            assert_eq!([frame.name.as_bstr(), frame.object.as_bstr()], [name, object], "{line}");
        }
        assert_eq!(frame(b"bash(12)"), None);
        assert_eq!(frame(b"\t12"), None);
    }
}
