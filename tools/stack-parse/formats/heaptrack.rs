//! What heaptrack records: every allocation and every deallocation, with stacks. Numbers
//! are hexadecimal, and refer to earlier lines by their count. Grammar from heaptrack's
//! heaptrack_interpret.cpp and accumulatedtracedata.cpp.
//!
//! ```text
//! v 10400 3                     the version of heaptrack, and of the file
//! X ./demo 3                    the command
//! s 4 main                      the next string, with its length since version 3
//! i 7f0af1605a1d 8 e d 4a e d 1a    an address in module 8, then function, file and line,
//!                               and the same of the functions it is inlined into
//! t 3 2                         address 3, called by trace 2; 0 means no trace
//! a 11c00 4                     allocations of 0x11c00 bytes each by trace 4
//! + 0                           one allocation of the first line `a`
//! - 0                           one of these is freed
//! c a                           10 milliseconds have passed
//! ```
//!
//! A raw recording has no `s`, `i` and `a`: [`raw`] says what it has.

mod addresses;
mod costs;
mod file;
mod kinds;
mod raw;
mod traces;

use std::io::{BufReader, Seek};

use bstr::ByteSlice;
use common::io::{Input, lines};
use common::{Error, Result, numbers::hexadecimal};

use crate::format::{Extra, Format, Head};
use crate::options::Options;
use crate::samples::Samples;
use crate::samples::events::Measure;
use file::{Counting, File};
use raw::Calls;

pub(super) const FORMAT: Format =
    Format::new("heaptrack", "Recordings of heaptrack, interpreted or raw", detect, parse)
        .extras(&[Extra::Live]);

/// In the order of the numbers of [`Costs::rows`].
const MEASURES: [Measure<'_>; 5] = [
    Measure { name: b"allocations", unit: b"allocations" },
    Measure { name: b"temporary", unit: b"allocations" },
    Measure { name: b"leaked", unit: b"bytes" },
    PEAK,
    Measure { name: b"allocated", unit: b"bytes" },
];

const PEAK: Measure<'_> = Measure { name: b"peak", unit: b"bytes" };

/// The measures of allocations that are in use at some moment; the last is the default.
const LIVE_MEASURES: [Measure<'_>; 2] = [MEASURES[0], MEASURES[4]];

/// Since this version an interpreted file refers to allocations by the number of their line `a`;
/// before, by the address of what is allocated.
const BY_INDEX: u64 = 1;

/// Strings have a length before them since this version of the file.
const SIZED_STRINGS: u64 = 3;

/// The kind of a file, by its first lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    version: u64,
    is_raw: bool,
}

impl Kind {
    /// The kind of a file that begins with a version, and then has strings or, if it is raw, the
    /// program and what it mapped; `None` if it is not heaptrack's.
    fn of<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Option<Kind> {
        let mut lines = lines.filter(|line| !line.is_empty());
        let numbers = lines.next()?.strip_prefix(b"v ")?;
        if !numbers.split(|&byte| byte == b' ').all(|number| hexadecimal(number).is_some()) {
            return None;
        }
        let is_header = |line: &&[u8]| matches!(line, [b'X' | b'A' | b'I' | b'S' | b'#', ..]);
        let first = lines.find(|line| !is_header(line))?;
        let is_raw = raw::is_raw(first);
        let version = version(numbers).unwrap_or_default();
        (is_raw || first.starts_with(b"s ")).then_some(Kind { version, is_raw })
    }
}

fn detect(head: &Head<'_>) -> bool {
    Kind::of(head.lines()).is_some()
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`Error::Input`], [`Error::Usage`] if the file lacks what is asked for, or what adding samples
/// returns.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let failed = |source| Error::Input { name: name.clone(), source };
    // The format was detected by these lines, so they are there: a live recording is not kept
    // waiting.
    let (seen, _) = input.peek_more(1).map_err(failed)?;
    let kind = Kind::of(lines(seen));
    let kind = kind.unwrap_or(Kind { version: 0, is_raw: false });
    let live = options.objects.live();
    let measures: &[Measure<'_>] = if live.is_some() { &LIVE_MEASURES } else { &MEASURES };
    let default = if live.is_some() { measures.len() - 1 } else { 0 };
    let measure =
        samples.events.set_measures_with(measures, default).map(|place| measures[place].name);
    let counting = Counting::new(kind, live, measure, samples)?;
    if !kind.is_raw {
        return File::new(live, counting, samples).read(input, samples);
    }
    // Names are looked up all at once, and must be known before anything is counted.
    let mut copy = input.take_seekable().map_err(failed)?;
    let calls = Calls::read(BufReader::new(&mut copy)).map_err(failed)?;
    copy.rewind().map_err(failed)?;
    let mut file = File::new(live, counting, samples);
    file.traces.names = calls.names(options, samples);
    file.calls = Some(calls.frames);
    file.read(&mut Input::from_reader(&name, copy), samples)
}

/// The line of a kind to which others refer by this number, counted from 1.
fn nth<T>(lines: &[T], number: u64) -> Option<&T> {
    lines.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// Splits `4 main`, a length and a text, into the text of this length and what comes after it.
fn sized_prefix(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, text) = text.split_once_str(" ")?;
    let length = usize::try_from(hexadecimal(length)?).unwrap_or(text.len());
    Some(text.split_at(length.min(text.len())))
}

/// The version of the file: 3 in `10400 3`, which heaptrack 1.4 wrote.
fn version(rest: &[u8]) -> Option<u64> {
    let mut numbers = rest.split(|&byte| byte == b' ').map(hexadecimal);
    let heaptrack = numbers.next()??;
    // heaptrack 1.2.0 does not write the version of its file, which is 1.
    let unsaid = u64::from(heaptrack == 0x10200);
    numbers.next().map_or(Some(unsaid), |version| version)
}

/// Numbers between spaces.
fn numbers(text: &[u8]) -> impl Iterator<Item = Option<u64>> {
    let words = text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    words.map(hexadecimal)
}

fn pair(text: &[u8]) -> Option<[u64; 2]> {
    let mut numbers = numbers(text);
    Some([numbers.next()??, numbers.next()??])
}
