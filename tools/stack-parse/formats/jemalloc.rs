//! jemalloc's profiles of memory, as they are or as `jeprof --raw` writes them, with names before.
//! Grammar from jemalloc's src/prof_data.c and src/prof_sys.c, and from bin/jeprof.in.
//!
//! ```text
//! heap_v2/524288
//!   t*: 185: 169599 [0: 0]
//!   t0: 185: 169599 [0: 0] main
//! @ 0x7f13d88a2630 0x563587f551ce 0x7f13d864524a
//!   t*: 27: 8589 [0: 0]
//!   t0: 27: 8589 [0: 0]
//!
//! MAPPED_LIBRARIES:
//! 563587f55000-563587f56000 r-xp 00001000 fe:00 1426110    /usr/bin/mill
//! ```
//!
//! The numbers are objects and bytes in use and, in brackets, all that were allocated: `t*` has
//! those of all threads, `t0` those of one. The first lines have the sums of all stacks: only the
//! names of threads are read from them.

mod counts;

use bstr::ByteSlice;
use common::{Result, io::Input, numbers::hexadecimal};
use hashbrown::HashMap;

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::addresses::Addresses;
use crate::read::lines::for_each_line;
use crate::read::own_labels::with_object;
use crate::read::sampled_heap::{HEAP, IN_USE};
use crate::samples::Samples;
use crate::samples::sample::Sample;
use counts::{Counts, Scale, ThreadLine, share};

pub(super) const FORMAT: Format = Format::new(
    "jemalloc",
    "A heap profile of jemalloc, as it is or by 'jeprof --raw'",
    detect,
    parse,
);

/// How a profile begins, before its rate.
const TITLE: &[u8] = b"heap_v2/";

fn detect(head: &Head<'_>) -> bool {
    let first = head.first_line();
    let is_raw = || first == b"--- symbol" && head.bytes.contains_str("\n--- heap\nheap_v2/");
    first.starts_with(TITLE) || is_raw()
}

/// Reads one input to its end.
///
/// # Errors
///
/// [`common::Error::Input`], or what adding samples returns.
fn parse(input: &mut Input, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let taken = samples.events.set_measures_with(&HEAP, IN_USE).unwrap_or(IN_USE);
    let mut profile = HeapProfile::new(taken, samples);
    let read = for_each_line(input, |number, line| {
        if line.starts_with(TITLE) && profile.has_title {
            // Several profiles may follow each other, each of another process.
            let new = HeapProfile::new(taken, samples);
            std::mem::replace(&mut profile, new).finish(options, samples)?;
        }
        profile.line(number, line, samples);
        Ok(())
    });
    profile.finish(options, samples)?;
    read
}

/// A profile that is being read.
struct HeapProfile {
    /// The index of the measure that is taken.
    taken: usize,
    has_title: bool,
    scale: Scale,
    /// Whether samples need the thread that allocated.
    by_thread: bool,
    /// The names of threads.
    names: HashMap<u64, Vec<u8>>,
    stacks: Vec<SampledStack>,
    /// The index of each stack in `stacks`, by its addresses as text.
    places: HashMap<Vec<u8>, usize>,
    record: Option<Record>,
    addresses: Addresses,
}

/// What was sampled with one stack.
struct SampledStack {
    leaf_first: Box<[u64]>,
    /// Sorted by thread; the first one has what belongs to no known thread, if there is any.
    sums: Vec<ThreadSum>,
}

#[derive(Default)]
struct ThreadSum {
    thread: Option<u64>,
    weights: Counts,
    /// How many objects were sampled, for the measure that is taken.
    drawn: u64,
}

/// A stack whose counts are being read.
struct Record {
    /// The number of its line.
    line: u64,
    /// The index of the stack in `stacks`.
    place: usize,
    /// The counts of all threads together.
    counts: Option<Counts>,
    threads: Vec<(u64, Counts)>,
}

impl HeapProfile {
    fn new(taken: usize, samples: &Samples<'_>) -> HeapProfile {
        HeapProfile {
            taken,
            has_title: false,
            scale: Scale::all(),
            by_thread: samples.wants.origin(),
            names: HashMap::new(),
            stacks: Vec::new(),
            places: HashMap::new(),
            record: None,
            addresses: Addresses::default(),
        }
    }

    fn line(&mut self, number: u64, line: &[u8], samples: &mut Samples<'_>) {
        if let Some(thread) = line.trim_ascii_start().strip_prefix(b"t").and_then(ThreadLine::of) {
            return self.thread(&thread);
        }
        self.end_record(samples);
        if let Some(addresses) = line.strip_prefix(b"@") {
            self.record = self.begin_record(number, addresses.trim_ascii());
            if self.record.is_none() {
                samples.malformed(number, "expected '@' and addresses");
            }
        } else if let Some(rate) = line.strip_prefix(TITLE) {
            self.has_title = true;
            match rate.trim_ascii().to_str().ok().and_then(|rate| rate.parse::<u64>().ok()) {
                Some(_) if samples.wants.counts() => {}
                Some(rate) => self.scale = Scale::of_rate(rate),
                None => samples.malformed(number, "expected 'heap_v2/' and a number of bytes"),
            }
        } else if !is_title(line) && !self.addresses.line(line, samples) {
            samples.skipped.add(number, "expected a line of a heap profile of jemalloc");
        }
    }

    /// Reads the counts of a thread, or of all.
    fn thread(&mut self, line: &ThreadLine<'_>) {
        match (&mut self.record, line.thread) {
            (Some(record), None) => record.counts = Some(line.counts),
            (Some(record), Some(thread)) if self.by_thread => {
                record.threads.push((thread, line.counts));
            }
            (None, Some(thread)) if !line.name.is_empty() => {
                self.names.insert(thread, line.name.to_vec());
            }
            _ => {}
        }
    }

    /// Begins the record of a stack; `None` if the text is not only addresses.
    fn begin_record(&mut self, line: u64, text: &[u8]) -> Option<Record> {
        let place = match self.places.get(text) {
            Some(place) => *place,
            None => {
                let leaf_first = text.fields().map(hexadecimal).collect::<Option<_>>()?;
                self.stacks.push(SampledStack { leaf_first, sums: Vec::new() });
                self.places.insert(text.to_vec(), self.stacks.len() - 1);
                self.stacks.len() - 1
            }
        };
        Some(Record { line, place, counts: None, threads: Vec::new() })
    }

    /// Adds the record that was read last to the sums of its stack.
    fn end_record(&mut self, samples: &mut Samples<'_>) {
        let Some(Record { line, place, counts, threads }) = self.record.take() else { return };
        let Some(counts) = counts else {
            return samples.malformed(line, "expected the line 't*:' after a stack");
        };
        let added = self.scale.weights(&counts).and_then(|weights| {
            let sampled = |counts: &Counts| counts[if self.taken < 2 { 0 } else { 2 }];
            let mut rest = ThreadSum { thread: None, weights, drawn: sampled(&counts) };
            let sums = &mut self.stacks[place].sums;
            for (thread, of_thread) in share(&weights, &counts, &threads) {
                let drawn = sampled(&of_thread.counted);
                let weights = of_thread.share;
                (0..weights.len()).for_each(|at| rest.weights[at] -= weights[at]);
                rest.drawn = rest.drawn.saturating_sub(drawn);
                add(sums, &ThreadSum { thread: Some(thread), weights, drawn })?;
            }
            add(sums, &rest)
        });
        if added.is_none() {
            samples.malformed(line, "expected counts whose sums fit into 64 bits");
        }
    }

    /// Adds all samples: all mapped files are known now, so that frames can be named.
    fn finish(mut self, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
        self.end_record(samples);
        let HeapProfile { mut stacks, addresses, names, .. } = self;
        drop(self.places);
        // An address is a return address: the one before it is in the call. jeprof leaves the first
        // of each stack as it is, and writes a name for that address.
        for address in stacks.iter_mut().flat_map(|stack| stack.leaf_first.iter_mut()) {
            let call = address.saturating_sub(1);
            if addresses.has_symbol(call) || !addresses.has_symbol(*address) {
                *address = call;
            }
        }
        let all = stacks.iter().flat_map(|stack| stack.leaf_first.iter().copied());
        let named = addresses.name(all, options, samples);
        let mut frames = Vec::new();
        for SampledStack { leaf_first, sums } in stacks {
            frames.clear();
            named.push_root_first(leaf_first.iter().copied(), &mut frames);
            let labels = with_object(&[], named.object_of_leaf(leaf_first.first().copied()));
            for ThreadSum { thread, weights, drawn } in sums {
                let tid = thread.map(|thread| thread.to_string().into_bytes());
                let comm = thread.and_then(|thread| names.get(&thread));
                let sample = Sample {
                    comm: comm.map_or(b"", |name| name),
                    tid: tid.as_deref(),
                    weights: &weights,
                    drawn: Some(drawn),
                    labels: &labels,
                    ..Sample::default()
                };
                samples.add(&sample, &frames)?;
            }
        }
        Ok(())
    }
}

/// Adds the counts of a thread to the sums of its stack; `None` if the sum is over 64 bits. Counts
/// of 0 are left out, unless the stack has no other sum.
fn add(sums: &mut Vec<ThreadSum>, more: &ThreadSum) -> Option<()> {
    if more.weights == Counts::default() && !sums.is_empty() {
        return Some(());
    }
    let place = sums.binary_search_by_key(&more.thread, |sum| sum.thread).unwrap_or_else(|place| {
        if sums.is_empty() {
            // Most stacks have one sum, and there may be many stacks.
            sums.reserve_exact(1);
        }
        sums.insert(place, ThreadSum { thread: more.thread, ..ThreadSum::default() });
        place
    });
    let sum = &mut sums[place];
    let mut weights = sum.weights;
    for (weight, more) in weights.iter_mut().zip(more.weights) {
        *weight = weight.checked_add(more)?;
    }
    sum.drawn = sum.drawn.checked_add(more.drawn)?;
    sum.weights = weights;
    Some(())
}

/// `MAPPED_LIBRARIES:`, and the marks of `jeprof --raw`: `--- symbol`, `binary=/usr/bin/mill`,
/// `---`, `--- heap`. ClickHouse's jemalloc adds sizes and ages, `  f: 2000 1000 1024 15 1 1`.
fn is_title(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty()
        || line == b"MAPPED_LIBRARIES:"
        || line.starts_with(b"---")
        || line.starts_with(b"binary=")
        || line.starts_with(b"f: ")
}
