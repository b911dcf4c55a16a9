//! The lines of a recording, one after the other.

use bstr::ByteSlice;
use common::{Error, Result, io::Input, numbers::hexadecimal};
use hashbrown::HashMap;

use super::addresses::Addresses;
use super::costs::Costs;
use super::kinds::Kinds;
use super::traces::{Allocation, Traces};
use super::{BY_INDEX, Kind, PEAK, numbers, pair, version};
use crate::frame::Frame;
use crate::options::Live;
use crate::read::alive::{Alive, Counted, Level, Settled, When};
use crate::read::lines::for_each_line;
use crate::read::paths::file_name;
use crate::read::stacks::{FrameNames, Stacks};
use crate::samples::{Inlined, Samples};

/// How allocations become samples.
pub(super) enum Counting {
    /// The sums of each stack.
    Sums(Costs),
    /// Each allocation when it comes, with its time.
    Each,
    /// Those in use at a moment, counted by size and stack.
    Kinds(Kinds),
    /// Each allocation when it is freed, found by its address.
    Objects(Alive<Allocation>),
}

impl Counting {
    /// # Errors
    ///
    /// [`Error::Usage`] if the file lacks what is asked for.
    pub(super) fn new(
        kind: Kind,
        live: Option<Live>,
        measure: Option<&[u8]>,
        samples: &mut Samples<'_>,
    ) -> Result<Counting> {
        let has_pointers = kind.is_raw || kind.version < BY_INDEX;
        let has_times = matches!(measure, Some(b"allocations" | b"allocated"));
        let wants_lifetimes = samples.wants.lifetimes()?;
        if !has_pointers && samples.wants.lifetime_by_name() {
            samples.note("lifetimes are in raw recordings only: 'heaptrack --raw' makes one");
        }
        if samples.wants.times() && live.is_some() && !has_pointers {
            let what = "--live with --from or --to needs a raw recording of heaptrack: others do \
                        not say which allocation is freed";
            return Err(Error::Usage(what.to_owned()));
        }
        if samples.wants.times() && live.is_none() {
            samples.note("only allocations and allocated bytes have times");
        }
        let counted = match live {
            None => Counted::All,
            Some(Live::End) => Counted::AtMoment,
            Some(Live::Peak | Live::At(_)) => Counted::AtMark,
        };
        let is_timed = samples.wants.times() || samples.wants.order() && has_times;
        Ok(match live {
            _ if has_pointers && (live.is_some() || wants_lifetimes && has_times) => {
                Counting::Objects(Alive::new(counted))
            }
            Some(_) => Counting::Kinds(Kinds::default()),
            None if is_timed => Counting::Each,
            None => Counting::Sums(Costs::default()),
        })
    }
}

/// A recording that is being read.
pub(super) struct File {
    version: u64,
    live: Option<Live>,
    counting: Counting,
    addresses: Addresses,
    /// The frame of each trace of a raw recording.
    pub(super) calls: Option<Vec<u32>>,
    pub(super) traces: Traces,
    /// Bytes and trace of each kind of allocation.
    allocations: Vec<(u64, u32)>,
    /// Bytes and trace of the allocation at an address, in files that refer to allocations by
    /// address.
    by_pointer: HashMap<u64, (u64, u32)>,
    /// The last allocation, if nothing was freed since; else 0.
    last: u64,
    /// Bytes in use.
    level: Level,
    /// The time of the last line `c`, in nanoseconds.
    time: u64,
    /// Whether the program ran already when heaptrack began.
    is_attached: bool,
}

impl File {
    pub(super) fn new(live: Option<Live>, counting: Counting, samples: &mut Samples<'_>) -> File {
        let mut names = FrameNames::default();
        names.name_others(&Frame::default(), samples);
        let (comm, is_live) = (Vec::new(), live.is_some());
        File {
            version: 0,
            live,
            counting,
            addresses: Addresses::default(),
            calls: None,
            traces: Traces {
                comm,
                names,
                stacks: Stacks::default(),
                ids: vec![Stacks::EMPTY],
                is_live,
            },
            allocations: Vec::new(),
            by_pointer: HashMap::new(),
            last: 0,
            level: Level::default(),
            time: 0,
            is_attached: false,
        }
    }

    /// Reads all lines.
    pub(super) fn read(mut self, input: &mut Input, samples: &mut Samples<'_>) -> Result<()> {
        let read = for_each_line(input, |number, line| {
            if !self.line(line, samples)? {
                samples.malformed(number, "expected a line of heaptrack");
            }
            Ok(())
        });
        self.finish(samples)?;
        read
    }

    /// Reads a line; false if it is not one of heaptrack's.
    fn line(&mut self, line: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        let (mode, rest) = match line {
            [] => return Ok(true),
            [mode] => (mode, &b""[..]),
            [mode, b' ', rest @ ..] => (mode, rest),
            [b'#', ..] => return Ok(true),
            _ => return Ok(false),
        };
        let read = match mode {
            b's' => self.addresses.string(rest, self.version),
            b'i' => self.addresses.address(rest, &mut self.traces.names, samples),
            b't' => self.trace(rest, &mut samples.inlined),
            b'a' => self.kind(rest),
            b'+' => return self.allocate(rest, samples),
            b'-' => return self.free(rest, samples),
            b'c' => return self.set_time(rest, samples),
            b'v' => version(rest).map(|version| self.version = version),
            b'X' => {
                self.traces.comm = file_name(rest.fields().next().unwrap_or_default()).to_vec();
                Some(())
            }
            b'x' | b'm' if self.calls.is_some() => Some(()),
            b'A' => {
                self.is_attached = true;
                Some(())
            }
            b'I' | b'R' | b'S' | b'#' => Some(()),
            _ => None,
        };
        Ok(read.is_some())
    }

    /// `3 2`: an address, and the trace of its caller.
    fn trace(&mut self, rest: &[u8], inlined: &mut Inlined) -> Option<()> {
        let [address, caller] = pair(rest)?;
        let Traces { stacks, ids, .. } = &mut self.traces;
        let known = usize::try_from(caller).ok().and_then(|it| ids.get(it)).copied();
        let caller = known.unwrap_or(Stacks::EMPTY);
        let stack = match &self.calls {
            Some(calls) => {
                stacks.call(caller, calls.get(ids.len() - 1).copied().unwrap_or(u32::MAX))
            }
            None => self.addresses.call(caller, address, stacks, inlined),
        };
        ids.push(stack);
        known.map(drop)
    }

    /// `11c00 4`: bytes and a trace.
    fn kind(&mut self, rest: &[u8]) -> Option<()> {
        let [size, trace] = pair(rest).unwrap_or_default();
        let trace = self.traces.known(trace).filter(|_| pair(rest).is_some());
        self.allocations.push((size, trace.unwrap_or(0)));
        trace.map(drop)
    }

    fn has_pointers(&self) -> bool {
        self.calls.is_some() || self.version < BY_INDEX
    }

    /// Counts an allocation; false if it cannot be read.
    fn allocate(&mut self, rest: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        let Some((key, size, trace)) = self.allocation(rest) else { return Ok(false) };
        self.last = key;
        let allocation = Allocation { size, trace, time: Some(self.time), count: 1 };
        let is_most = self.level.add(size, self.time);
        let is_peak = is_most && self.live == Some(Live::Peak);
        let traces = &mut self.traces;
        match &mut self.counting {
            Counting::Sums(costs) => costs.allocate(trace as usize, size as i64),
            Counting::Each => traces.add(&allocation, (true, None), samples)?,
            Counting::Kinds(kinds) => {
                kinds.allocate(key as usize);
                if is_peak {
                    kinds.mark();
                }
            }
            Counting::Objects(alive) => {
                let when = When { time: self.time, is_late: false };
                let mut settle = |it: Settled<Allocation>| traces.settle(&it, samples);
                alive.allocate(key, allocation, when, &mut settle)?;
                if is_peak {
                    alive.mark(&mut settle)?;
                }
            }
        }
        Ok(true)
    }

    /// The key of an allocation, its bytes and its trace: `11` is the number of an earlier line
    /// `a`, and `11c00 4 55d0b8a3f010` are bytes, trace and address.
    fn allocation(&mut self, rest: &[u8]) -> Option<(u64, u64, u32)> {
        let (key, size, trace) = if self.has_pointers() {
            let mut numbers = numbers(rest);
            let (size, trace) = (numbers.next()??, self.traces.known(numbers.next()??)?);
            let key = numbers.next()??;
            if !matches!(self.counting, Counting::Objects(_)) {
                self.by_pointer.insert(key, (size, trace));
            }
            (key, size, trace)
        } else {
            let key = hexadecimal(rest)?;
            let (size, trace) = *self.allocations.get(usize::try_from(key).ok()?)?;
            (key, size, trace)
        };
        i64::try_from(size).ok()?;
        Some((key, size, trace))
    }

    /// Counts a deallocation; false if it cannot be read.
    fn free(&mut self, rest: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        let Some(key) = hexadecimal(rest) else { return Ok(false) };
        // After a deallocation `last` is 0, so the first kind counts as temporary: as in
        // heaptrack_print.
        let is_temporary = std::mem::take(&mut self.last) == key;
        if let Counting::Objects(alive) = &mut self.counting {
            let Some(object) = alive.get_mut(key) else { return Ok(true) };
            self.level.free(object.size);
            let when = When { time: self.time, is_late: false };
            let traces = &mut self.traces;
            return alive.free(key, when, &mut |it| traces.settle(&it, samples)).map(|_| true);
        }
        let (size, trace) = if self.has_pointers() {
            // An unknown one was allocated before heaptrack was attached.
            let Some(known) = self.by_pointer.remove(&key) else { return Ok(true) };
            known
        } else {
            let known = usize::try_from(key).ok().and_then(|key| self.allocations.get(key));
            let Some(known) = known else { return Ok(false) };
            *known
        };
        self.level.free(size);
        match &mut self.counting {
            Counting::Sums(costs) => costs.free(trace as usize, size as i64, is_temporary),
            Counting::Kinds(kinds) => kinds.free(key as usize),
            Counting::Each | Counting::Objects(_) => {}
        }
        Ok(true)
    }

    /// Reads `a`: 10 milliseconds have passed since the start, after the lines before; false if it
    /// cannot be read.
    fn set_time(&mut self, rest: &[u8], samples: &mut Samples<'_>) -> Result<bool> {
        let Some(milliseconds) = hexadecimal(rest) else { return Ok(false) };
        self.time = milliseconds.saturating_mul(1_000_000);
        if matches!(self.live, Some(Live::At(moment)) if self.time <= moment) {
            let traces = &mut self.traces;
            match &mut self.counting {
                Counting::Kinds(kinds) => kinds.mark(),
                Counting::Objects(alive) => alive.mark(&mut |it| traces.settle(&it, samples))?,
                Counting::Sums(_) | Counting::Each => {}
            }
        }
        Ok(true)
    }

    /// Adds the samples that were held until the end.
    fn finish(&mut self, samples: &mut Samples<'_>) -> Result<()> {
        if self.is_attached {
            samples.note(
                "heaptrack was attached while the program ran: what was allocated before is missing",
            );
        }
        samples.facts.length = Some(self.time).filter(|time| *time > 0);
        let when = common::numbers::seconds(self.level.at);
        samples.events.note_peak(PEAK.name, self.level.most, when.as_bytes());
        let traces = &mut self.traces;
        match &mut self.counting {
            Counting::Sums(costs) => costs
                .rows()
                .try_for_each(|(trace, weights)| traces.add_sums(trace, &weights, samples)),
            Counting::Each => Ok(()),
            Counting::Objects(alive) => alive.finish(&mut |it| traces.settle(&it, samples)),
            Counting::Kinds(kinds) => {
                let rows = kinds.rows(self.live == Some(Live::End));
                self.allocations.iter().zip(rows).try_for_each(|(&(size, trace), (live, rest))| {
                    for (count, counts) in [(live, true), (rest, false)] {
                        if count > 0 {
                            let it = Allocation { size, trace, time: None, count };
                            traces.add(&it, (counts, None), samples)?;
                        }
                    }
                    Ok(())
                })
            }
        }
    }
}
