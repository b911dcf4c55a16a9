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
//! t 3 2                         address 3, called by trace 2; 0 is none
//! a 11c00 4                     allocations of so many bytes by trace 4
//! + 0                           such an allocation: these count from 0
//! - 0                           and its deallocation
//! c a                           10 milliseconds have passed
//! ```

mod costs;

use bstr::ByteSlice;
use common::{Input, Result, hexadecimal};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::frame::Frame;
use crate::options::Options;
use crate::read::lines::for_each_line;
use crate::read::paths::file_name;
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::events::Measure;
use crate::samples::sample::{Sample, Time};
use crate::samples::{Root, Samples, Weighs};
use costs::Costs;

pub(super) const FORMAT: Format = Format {
    name: "heaptrack",
    about: "Recordings of heaptrack",
    detect,
    parse,
    root: Root::None,
    weighs: Weighs::Sum,
    extras: &[],
};

/// In the order of the numbers of [`Costs::rows`].
const MEASURES: [Measure<'_>; 5] = [
    Measure { name: b"allocations", unit: b"allocations" },
    Measure { name: b"temporary", unit: b"allocations" },
    Measure { name: b"leaked", unit: b"bytes" },
    Measure { name: b"peak", unit: b"bytes" },
    Measure { name: b"allocated", unit: b"bytes" },
];

/// The file before version 1 counts allocations by the addresses of what is allocated.
const BY_INDEX: u64 = 1;

/// Strings have a length before them since this version of the file.
const SIZED_STRINGS: u64 = 3;

/// A version, and then strings: a raw recording has addresses and no names.
fn detect(head: &Head<'_>) -> bool {
    let mut lines = head.lines().filter(|line| !line.is_empty());
    let is_version = |line: &[u8]| {
        let mut numbers = line.split(|&byte| byte == b' ').skip(1);
        line.starts_with(b"v ") && numbers.all(|number| hexadecimal(number).is_some())
    };
    let is_header = |line: &&[u8]| matches!(line, [b'X' | b'A' | b'I' | b'S' | b'#', ..]);
    lines.next().is_some_and(is_version)
        && lines.find(|line| !is_header(line)).is_some_and(|line| line.starts_with(b"s "))
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let measure = samples.set_measures(&MEASURES).map(|place| MEASURES[place].name);
    let has_times = matches!(measure, Some(b"allocations" | b"allocated"));
    let is_timed = samples.choose_times() || samples.need_order() && has_times;
    let mut file = File::new(is_timed, samples);
    let read = for_each_line(input, |number, line| {
        if !file.line(line, samples)? {
            samples.malformed(number, "expected a line of heaptrack");
        }
        Ok(())
    });
    file.add(samples)?;
    read
}

struct File {
    version: u64,
    comm: Vec<u8>,
    strings: Vec<Vec<u8>>,
    /// Where the frames of each address end, the functions it is inlined into behind it.
    addresses: Vec<usize>,
    /// The frames of all addresses, by their numbers in `names`.
    frames: Vec<u32>,
    names: FrameNames,
    by_place: HashMap<(u64, [u64; 4], bool), u32>,
    stacks: Stacks,
    /// The stack of each trace; the first one is that of no trace.
    traces: Vec<StackId>,
    /// Bytes and trace of each kind of allocation.
    allocations: Vec<(u64, u32)>,
    /// What is at an address, in old files.
    by_pointer: HashMap<u64, (u64, u32)>,
    /// What was allocated last, if nothing was freed since.
    last: u64,
    costs: Costs,
    /// Whether allocations are added as they come.
    is_timed: bool,
    /// Milliseconds.
    time: u64,
}

impl File {
    fn new(is_timed: bool, samples: &mut Samples<'_>) -> File {
        if samples.choose_times() {
            samples.note("only allocations and allocated bytes have times");
        }
        let mut names = FrameNames::default();
        names.name_others(&Frame::default(), samples);
        File {
            version: 0,
            comm: Vec::new(),
            strings: Vec::new(),
            addresses: Vec::new(),
            frames: Vec::new(),
            names,
            by_place: HashMap::new(),
            stacks: Stacks::new(),
            traces: vec![Stacks::EMPTY],
            allocations: Vec::new(),
            by_pointer: HashMap::new(),
            last: 0,
            costs: Costs::default(),
            is_timed,
            time: 0,
        }
    }

    /// Reads a line; false if it is none of heaptrack's.
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        let (mode, rest) = match line {
            [] => return Ok(true),
            [mode] => (mode, &b""[..]),
            [mode, b' ', rest @ ..] => (mode, rest),
            [b'#', ..] => return Ok(true),
            _ => return Ok(false),
        };
        let read = match mode {
            b's' => self.string(rest),
            b'i' => self.address(rest, samples),
            b't' => self.trace(rest),
            b'a' => self.kind(rest),
            b'+' => match self.allocate(rest) {
                Some(it) if self.is_timed => return self.add_now(it, samples).map(|()| true),
                read => read.map(drop),
            },
            b'-' => self.free(rest),
            b'c' => hexadecimal(rest).map(|time| self.time = time),
            b'v' => self.set_version(rest),
            b'X' => {
                self.comm = file_name(rest.fields().next().unwrap_or_default()).to_vec();
                Some(())
            }
            b'A' | b'I' | b'R' | b'S' | b'#' => Some(()),
            _ => None,
        };
        Ok(read.is_some())
    }

    fn set_version(&mut self, rest: &[u8]) -> Option<()> {
        let mut numbers = rest.split(|&byte| byte == b' ').map(hexadecimal);
        let heaptrack = numbers.next()??;
        // Version 1.2.0 does not say what its file is.
        let unsaid = u64::from(heaptrack == 0x10200);
        self.version = numbers.next().map_or(Some(unsaid), |version| version)?;
        Some(())
    }

    /// `4 main`; `main` in old files.
    fn string(&mut self, rest: &[u8]) -> Option<()> {
        let text = if self.version < SIZED_STRINGS { Some(rest) } else { sized(rest) };
        self.strings.push(text.unwrap_or(rest).to_vec());
        text.map(drop)
    }

    /// `7f0af1605a1d 8 e d 4a e d 1a`
    fn address(&mut self, rest: &[u8], samples: &mut Samples<'_>) -> Option<()> {
        let numbers: Option<Vec<u64>> = numbers(rest).collect();
        let numbers = numbers.filter(|numbers| numbers.len() >= 2);
        let [address, module, places @ ..] = numbers.as_deref().unwrap_or(&[0, 0]) else {
            return None;
        };
        let mut places = places.chunks_exact(3).peekable();
        if places.peek().is_none() {
            let frame = self.frame(*address, [*module, 0, 0, 0], false, samples);
            self.frames.push(frame);
        }
        while let Some(place) = places.next() {
            let is_inlined = places.peek().is_some();
            let place = [*module, place[0], place[1], place[2]];
            let frame = self.frame(*address, place, is_inlined, samples);
            self.frames.push(frame);
        }
        // One that cannot be read counts, as others are referred to by number.
        self.addresses.push(self.frames.len());
        numbers.map(drop)
    }

    /// The number of a frame: module, function, file and line.
    fn frame(
        &mut self,
        address: u64,
        place: [u64; 4],
        inlined: bool,
        samples: &mut Samples<'_>,
    ) -> u32 {
        let [module, function, file, line] = place;
        let string = |number| nth(&self.strings, number).map_or(&b""[..], |text| text);
        let (name, object) = (string(function), string(module));
        // What has a name has it at all addresses.
        let address = if name.is_empty() && object.is_empty() { address } else { 0 };
        let next = self.names.len() as u32;
        let number = *self.by_place.entry((address, place, inlined)).or_insert(next);
        if number == next {
            let mut source = Place::default();
            source.set_file(string(file));
            source.line = Some(line).filter(|line| *line > 0);
            let (address, source) = (Some(address).filter(|it| *it > 0), source.text());
            let frame = Frame { name, object, address, source, inlined, ..Frame::default() };
            self.names.push(&frame, samples);
        }
        number
    }

    /// `3 2`: an address, and the trace of its caller.
    fn trace(&mut self, rest: &[u8]) -> Option<()> {
        let [address, caller] = pair(rest)?;
        let caller = usize::try_from(caller).ok().and_then(|it| self.traces.get(it)).copied();
        let mut stack = caller.unwrap_or(Stacks::EMPTY);
        let end = |number| nth(&self.addresses, number).copied();
        match end(address) {
            Some(last) => {
                let first = end(address - 1).unwrap_or(0);
                for &frame in self.frames[first..last].iter().rev() {
                    stack = self.stacks.call(stack, frame);
                }
            }
            None => stack = self.stacks.call(stack, u32::MAX),
        }
        self.traces.push(stack);
        caller.map(drop)
    }

    /// `11c00 4`: bytes and a trace.
    fn kind(&mut self, rest: &[u8]) -> Option<()> {
        let [size, trace] = pair(rest).unwrap_or_default();
        let trace = self.known_trace(trace).filter(|_| pair(rest).is_some());
        self.allocations.push((size, trace.unwrap_or(0)));
        trace.map(drop)
    }

    fn known_trace(&self, trace: u64) -> Option<u32> {
        u32::try_from(trace).ok().filter(|it| (*it as usize) < self.traces.len())
    }

    /// Counts an allocation; returns its bytes and its trace.
    fn allocate(&mut self, rest: &[u8]) -> Option<(u64, u32)> {
        let (size, trace) = if self.version >= BY_INDEX {
            self.last = hexadecimal(rest)?;
            *self.allocations.get(usize::try_from(self.last).ok()?)?
        } else {
            // `+ 11c00 4 55d0b8a3f010`: bytes, trace and where it is.
            let mut numbers = numbers(rest);
            let (size, trace) = (numbers.next()??, numbers.next()??);
            self.last = numbers.next()??;
            let trace = self.known_trace(trace)?;
            self.by_pointer.insert(self.last, (size, trace));
            (size, trace)
        };
        self.costs.allocate(trace as usize, i64::try_from(size).ok()?);
        Some((size, trace))
    }

    fn free(&mut self, rest: &[u8]) -> Option<()> {
        let number = hexadecimal(rest)?;
        // heaptrack_print, too, takes the first kind for temporary after a deallocation.
        let is_temporary = std::mem::take(&mut self.last) == number;
        let (size, trace) = if self.version >= BY_INDEX {
            *self.allocations.get(usize::try_from(number).ok()?)?
        } else {
            match self.by_pointer.remove(&number) {
                Some(allocation) => allocation,
                // Allocated before heaptrack was attached.
                None => return Some(()),
            }
        };
        self.costs.free(trace as usize, i64::try_from(size).ok()?, is_temporary);
        Some(())
    }

    /// Adds an allocation with its time.
    fn add_now(&mut self, (size, trace): (u64, u32), samples: &mut Samples<'_>) -> Result<()> {
        let time = self.time.checked_mul(1_000_000).map(Time::Nanoseconds);
        let (comm, weights) = (&self.comm[..], &[1, 0, 0, 0, size][..]);
        let sample = Sample { comm, time, weights, ..Sample::default() };
        let stack = self.traces[trace as usize];
        self.stacks.add(&sample, stack, &self.names, samples)
    }

    /// Adds what all allocations amount to, by stack.
    fn add(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.is_timed {
            return Ok(());
        }
        for (trace, weights) in self.costs.rows() {
            let sample = Sample { comm: &self.comm, weights: &weights, ..Sample::default() };
            self.stacks.add(&sample, self.traces[trace], &self.names, samples)?;
        }
        Ok(())
    }
}

/// The line of a kind to which others refer by this number, counted from 1.
fn nth<T>(lines: &[T], number: u64) -> Option<&T> {
    lines.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// `4 main`: a length and as much text.
fn sized(text: &[u8]) -> Option<&[u8]> {
    let (length, text) = text.split_once_str(" ")?;
    let length = usize::try_from(hexadecimal(length)?).unwrap_or(text.len());
    Some(&text[..length.min(text.len())])
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
