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
use crate::samples::{Root, Samples};

pub(super) const FORMAT: Format =
    Format::new("systemtap", "Stacks that scripts of SystemTap print", detect, parse)
        .root(&Root::Comm);

fn detect(head: &Head<'_>) -> bool {
    let has_object = |line: &[u8]| line.ends_with(b"]") || line.ends_with(b"] (inexact)");
    let is_frame = |line: &[u8]| has_object(line) && frame(line).is_some();
    head.lines().take(100).any(|line| line.contains_str(" : ") && is_frame(line.trim_ascii_end()))
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut stack = LeafFirst::default();
    let mut comm = Vec::new();
    for_each_line(input, |_, line| {
        let text = line.trim_ascii();
        if let Some(frame) = frame(line) {
            stack.push(&frame, samples);
        } else if let Some(weight) = decimal(text) {
            add(&mut stack, &mut comm, weight, samples)?;
        } else {
            // The stack before had no number, so it is one sample.
            if !stack.is_empty() {
                add(&mut stack, &mut comm, 1, samples)?;
            }
            comm = text.to_vec();
        }
        Ok(())
    })?;
    if stack.is_empty() { Ok(()) } else { add(&mut stack, &mut comm, 1, samples) }
}

fn add(
    stack: &mut LeafFirst,
    comm: &mut Vec<u8>,
    weight: u64,
    samples: &mut Samples<'_>,
) -> Result<()> {
    // The output does not show what is counted.
    samples.events.announce(b"", b"");
    let sample = Sample { comm, weights: &[weight], ..Sample::default() };
    let added = stack.add(&sample, samples);
    comm.clear();
    added
}

/// A line of a stack; it may end in `(inexact)`.
fn frame(line: &[u8]) -> Option<Frame<'_>> {
    let text = line.trim_ascii();
    let text = text.strip_prefix(b"Returning from: ").unwrap_or(text);
    let text = text.strip_prefix(b"Returning to  : ").unwrap_or(text);
    let text = text.strip_suffix(b" (inexact)").unwrap_or(text);
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
