//! Stacks of goroutines as Go prints them when a program dies, on SIGQUIT, and for
//! `debug=2`.
//!
//! Grammar from Go's src/runtime/traceback.go (`goroutineheader`, `traceback1`).

use bstr::ByteSlice;
use common::{Input, Result};

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::samples::sample::Sample;
use crate::samples::{Root, Samples, Weighs};

pub(super) const FORMAT: Format = Format {
    name: "go-traceback",
    about: "The stacks of goroutines, as a Go program prints them when it dies or for debug=2",
    detect,
    parse,
    root: Root::Comm,
    weighs: Weighs::Value,
    extras: &[],
};

/// What stands for frames that were left out.
const TRUNCATED: &[u8] = b"[truncated]";

fn detect(head: &Head<'_>) -> bool {
    head.lines().any(|line| line.starts_with(b"goroutine ") && header(line).is_some())
}

/// Reads one input to its end. Whatever stands between the stacks is passed over: a
/// program that dies says more than that.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let mut goroutine = None;
    for_each_line(input, |_, line| {
        if let Some((state, number)) = header(line) {
            add(goroutine.replace(Goroutine::new(state, number)), samples)?;
        } else if line.trim_ascii().is_empty() {
            add(goroutine.take(), samples)?;
        } else if let Some(goroutine) = &mut goroutine {
            goroutine.line(line, samples);
        }
        Ok(())
    })?;
    add(goroutine, samples)
}

/// A stack that is being read.
struct Goroutine {
    state: Vec<u8>,
    number: Option<Vec<u8>>,
    stack: LeafFirst,
    /// The function whose source is on the next line.
    function: Option<Function>,
}

struct Function {
    name: Vec<u8>,
    inlined: bool,
    /// Whether it is no frame, but where the goroutine was started.
    is_creator: bool,
}

/// State and number of `goroutine 23 [IO wait, 5 minutes, locked to thread]:`,
/// `goroutine 1 gp=0xc000 m=0 mp=0x5a8 [running]:` and `runtime stack:`, which is
/// that of a thread.
fn header(line: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    if line == b"runtime stack:" {
        return Some((b"runtime stack", None));
    }
    let rest = line.strip_prefix(b"goroutine ")?;
    let (number, rest) = rest.split_once_str(" ")?;
    let (_, state) = rest.strip_suffix(b"]:")?.split_once_str("[")?;
    let state = state.split_once_str(",").map_or(state, |(state, _)| state);
    number.iter().all(u8::is_ascii_digit).then_some((state, Some(number)))
}

fn add(goroutine: Option<Goroutine>, samples: &mut Samples<'_>) -> Result<()> {
    let Some(mut goroutine) = goroutine else { return Ok(()) };
    goroutine.end_function(b"", samples);
    let Goroutine { state, number, stack, .. } = &mut goroutine;
    let event = b"goroutines";
    let sample = Sample { comm: state, tid: number.as_deref(), event, ..Sample::default() };
    stack.add(&sample, samples)
}

impl Goroutine {
    fn new(state: &[u8], number: Option<&[u8]>) -> Goroutine {
        let number = number.map(<[u8]>::to_vec);
        Goroutine { state: state.to_vec(), number, stack: LeafFirst::default(), function: None }
    }

    /// `main.work(0xc000224030?, ...)`, and behind it `\t/src/main.go:10 +0x1de`.
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) {
        if let Some(source) = line.strip_prefix(b"\t") {
            return self.end_function(source_line(source), samples);
        }
        self.end_function(b"", samples);
        if line.starts_with(b"...") && line.ends_with(b"frames elided...") {
            self.stack.push(&Frame { name: TRUNCATED, ..Frame::default() }, samples);
        } else if let Some(creator) = line.strip_prefix(b"created by ") {
            self.function =
                Some(Function { name: creator.to_vec(), inlined: false, is_creator: true });
        } else if !is_other_goroutine(line) {
            let (name, inlined) = function_name(line);
            let name = name.to_vec();
            self.function = Some(Function { name, inlined, is_creator: false });
        }
    }

    /// The function that was read last was at this place.
    fn end_function(&mut self, source: &[u8], samples: &mut Samples<'_>) {
        let Some(function) = self.function.take().filter(|it| !it.is_creator) else { return };
        let Function { name, inlined, .. } = &function;
        let frame = Frame { name, source, inlined: *inlined, ..Frame::default() };
        self.stack.push(&frame, samples);
    }
}

/// `[originating from goroutine 5]:`, which follows where that one created it.
fn is_other_goroutine(line: &[u8]) -> bool {
    line.starts_with(b"[originating from goroutine ")
}

/// The name of `main.(*T).Fill(0x1, {0x7, 0x2})`, and whether it was inlined: then
/// its arguments are `(...)`. Functions in C have none.
fn function_name(line: &[u8]) -> (&[u8], bool) {
    let Some(call) = line.strip_suffix(b")") else { return (line, false) };
    let Some(open) = memchr::memrchr(b'(', call) else { return (line, false) };
    (&line[..open], &call[open + 1..] == b"...")
}

/// `/src/main.go:10` of `/src/main.go:10 +0x1de fp=0xc0 sp=0xc0 pc=0x62`.
fn source_line(text: &[u8]) -> &[u8] {
    let ends = [" +0x", " fp=0x", " pc=0x"].iter().filter_map(|mark| text.find(mark));
    &text[..ends.min().unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_goroutines() {
        for (line, state, number) in [
            ("goroutine 1 [running]:", "running", Some("1")),
            ("goroutine 23 [IO wait, 5 minutes, locked to thread]:", "IO wait", Some("23")),
            ("goroutine 2 [force gc (idle)]:", "force gc (idle)", Some("2")),
            ("goroutine 1 gp=0xc000006 m=nil [chan receive]:", "chan receive", Some("1")),
            ("runtime stack:", "runtime stack", None),
        ] {
            let expected = Some((state.as_bytes(), number.map(str::as_bytes)));
            assert_eq!(header(line.as_bytes()), expected, "{line}");
        }
        for line in ["goroutine profile: total 6", "goroutine running on other thread", ""] {
            assert_eq!(header(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn arguments_are_no_part_of_a_name() {
        for (line, name, inlined) in [
            ("main.main()", "main.main", false),
            ("main.(*T).Fill(0xc000?, {0x1, 0x2})", "main.(*T).Fill", false),
            ("sync.(*Mutex).Lock(...)", "sync.(*Mutex).Lock", true),
            ("main.Map[...](0x1)", "main.Map[...]", false),
            ("x_cgo_thread_start", "x_cgo_thread_start", false),
        ] {
            assert_eq!(function_name(line.as_bytes()), (name.as_bytes(), inlined), "{line}");
        }
        assert_eq!(source_line(b"/my go/main.go:10 +0x1de fp=0xc0"), b"/my go/main.go:10");
        assert_eq!(source_line(b"/x.c:7 pc=0x12"), b"/x.c:7");
        assert_eq!(source_line(b"/x.go:7"), b"/x.go:7");
    }
}
