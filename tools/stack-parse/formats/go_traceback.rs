//! Stacks of goroutines as Go prints them when a program dies, on SIGQUIT, and for
//! `debug=2`.
//!
//! Grammar from Go's src/runtime/traceback.go (`goroutineheader`, `traceback1`).

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::hexadecimal};

use crate::format::{Extra, Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::leaf_first::LeafFirst;
use crate::read::lines::for_each_line;
use crate::read::own_labels::{OwnLabels, with_labels};
use crate::samples::sample::Sample;
use crate::samples::{End, Root, Samples, Weighs};

pub(super) const FORMAT: Format = Format::new(
    "go-traceback",
    "The stacks of goroutines, as a Go program prints them when it dies or for debug=2",
    detect,
    parse,
)
.root(&Root::Comm)
.weighs(Weighs::Value)
.extras(&[Extra::Indented(has_lost_blanks)]);

/// The place of a function stands below it, after a TAB.
fn has_lost_blanks(above: &[u8], line: &[u8]) -> bool {
    above.ends_with(b")") && line.starts_with(b"/") && line.contains_str(".go:")
}

fn detect(head: &Head<'_>) -> bool {
    head.lines().any(|line| line.starts_with(b"goroutine ") && header(line).is_some())
}

/// Reads one input to its end. Lines between the stacks are skipped: a program that dies prints
/// more than its stacks.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let (mut goroutine, mut unavailable) = (None, 0);
    samples.facts.set_threadless();
    for_each_line(input, |_, line| {
        if let Some(header) = header(line) {
            add(goroutine.replace(Goroutine::new(&header, samples.wants.labels())), samples)?;
        } else if line.trim_ascii().is_empty() {
            add(goroutine.take(), samples)?;
        } else if let Some(goroutine) = &mut goroutine {
            unavailable += u64::from(line.ends_with(b"; stack unavailable"));
            goroutine.line(line, samples);
        }
        Ok(())
    })?;
    add(goroutine, samples)?;
    let what = "goroutines have no stack: they ran, and Go prints that of the current thread only";
    samples.note_count(unavailable, what);
    Ok(())
}

/// A stack that is being read.
struct Goroutine {
    state: Vec<u8>,
    number: Option<Vec<u8>>,
    labels: OwnLabels,
    stack: LeafFirst,
    /// The function whose source is on the next line.
    function: Option<Function>,
}

struct Function {
    name: Vec<u8>,
    inlined: bool,
    /// Whether it is not a frame but the function that started the goroutine.
    is_creator: bool,
}

/// The line that begins a stack.
#[derive(Debug, PartialEq, Eq)]
struct GoroutineHeader<'a> {
    state: &'a [u8],
    number: Option<&'a [u8]>,
    /// `5 minutes, locked to thread`
    details: &'a [u8],
}

impl GoroutineHeader<'_> {
    fn labels(&self) -> OwnLabels {
        let mut labels = OwnLabels::default();
        labels.add(FORMAT.name, b"state", self.state);
        for detail in self.details.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            if detail.ends_with(b" minutes") {
                labels.add(FORMAT.name, b"wait", detail);
            } else if detail == b"locked to thread" {
                labels.add(FORMAT.name, b"locked", b"true");
            }
        }
        labels
    }
}

/// The header in `goroutine 23 [IO wait, 5 minutes, locked to thread]:`,
/// `goroutine 1 gp=0xc000 m=0 mp=0x5a8 [running]:` or `runtime stack:`, which is the stack of a
/// thread.
fn header(line: &[u8]) -> Option<GoroutineHeader<'_>> {
    if line == b"runtime stack:" {
        return Some(GoroutineHeader { state: b"runtime stack", number: None, details: b"" });
    }
    let rest = line.strip_prefix(b"goroutine ")?;
    let (number, rest) = rest.split_once_str(" ")?;
    let (_, words) = rest.strip_suffix(b"]:")?.split_once_str("[")?;
    let (state, details) = words.split_once_str(",").unwrap_or((words, b""));
    let is_number = number.iter().all(u8::is_ascii_digit);
    is_number.then_some(GoroutineHeader { state, number: Some(number), details })
}

fn add(goroutine: Option<Goroutine>, samples: &mut Samples<'_>) -> Result<()> {
    let Some(mut goroutine) = goroutine else { return Ok(()) };
    goroutine.end_function(b"", samples);
    let Goroutine { state, number, labels, stack, .. } = &mut goroutine;
    let labels = labels.list();
    let event = b"goroutines";
    let sample = Sample { comm: state, tid: number.as_deref(), event, ..Sample::default() };
    stack.add(&with_labels(sample, &labels), samples)
}

impl Goroutine {
    fn new(header: &GoroutineHeader<'_>, wants_labels: bool) -> Goroutine {
        let labels = if wants_labels { header.labels() } else { OwnLabels::default() };
        Goroutine {
            state: header.state.to_vec(),
            number: header.number.map(<[u8]>::to_vec),
            labels,
            stack: LeafFirst::default(),
            function: None,
        }
    }

    /// Reads `main.work(0xc000224030?, ...)`, and after it `\t/src/main.go:10 +0x1de`.
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) {
        if let Some(source) = line.strip_prefix(b"\t") {
            return self.end_function(source_line(source), samples);
        }
        self.end_function(b"", samples);
        if line.starts_with(b"...") && line.ends_with(b"frames elided...") {
            self.stack.push(&Frame { name: End::Truncated.frame(), ..Frame::default() }, samples);
        } else if is_of_failure(line) {
            // Old versions print this before the last frame, new ones after it.
            self.stack.end(End::Broken);
        } else if let Some(creator) = line.strip_prefix(b"created by ") {
            self.function =
                Some(Function { name: creator.to_vec(), inlined: false, is_creator: true });
        } else if !is_other_goroutine(line) {
            let (name, inlined) = function_name(line);
            let name = name.to_vec();
            self.function = Some(Function { name, inlined, is_creator: false });
        }
    }

    /// Pushes the function that was read last, with this source.
    fn end_function(&mut self, source: &[u8], samples: &mut Samples<'_>) {
        let Some(Function { name, inlined, is_creator }) = &self.function.take() else { return };
        if *is_creator {
            let name = name.split_once_str(" in goroutine ").map_or(&name[..], |(name, _)| name);
            if samples.wants.labels() {
                self.labels.add(FORMAT.name, b"creator", name);
            }
            return;
        }
        let frame = Frame { name, source, inlined: *inlined, ..Frame::default() };
        self.stack.push(&frame, samples);
    }
}

/// `[originating from goroutine 5]:`, which comes before the stack of the goroutine's creator.
fn is_other_goroutine(line: &[u8]) -> bool {
    line.starts_with(b"[originating from goroutine ")
}

/// Whether a line says that Go could not follow the stack further:
///
/// ```text
/// runtime: g 5: unexpected return pc for main.f called from 0x10
/// stack: frame={sp:0xc000075e80, fp:0xc000075ea8} stack=[0xc000074800,0xc000076000)
/// 0x000000c000075e00:  0x000000c000075e68  0x0000000000000001
/// ```
fn is_of_failure(line: &[u8]) -> bool {
    let is_dump = || {
        let address = line.split_once_str(": ").map_or(&b""[..], |(address, _)| address);
        address.len() >= 8 && hexadecimal(address).is_some()
    };
    line.starts_with(b"runtime: ") || line.starts_with(b"stack: frame={") || is_dump()
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
            let header = header(line.as_bytes()).expect(line);
            let found = (header.state, header.number);
            assert_eq!(found, (state.as_bytes(), number.map(str::as_bytes)), "{line}");
        }
        let details = header(b"goroutine 23 [IO wait, 5 minutes]:").map(|header| header.details);
        assert_eq!(details, Some(&b" 5 minutes"[..]));
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
