//! The events of a recording: one for each attribute, found by the ids in its records,
//! named as perf names them.

pub(crate) mod attr;
mod tracepoint;
pub(crate) mod tracing;

use hashbrown::HashMap;

use crate::bytes::U64s;
use attr::{Attr, branches, fields, kinds, reads};
use tracepoint::Tracepoint;

pub use tracepoint::TraceContext;

/// How callers were recorded: `perf record --call-graph`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallGraph {
    /// Nothing: samples are single addresses.
    None,
    /// The chain that the kernel finds by frame pointers (`fp`, the default of `-g`).
    FramePointers,
    /// The calls that the processor remembers (`lbr`).
    Branches,
    /// A copy of the stack (`dwarf`).
    Copies {
        /// How long a copy may be; perf allows up to 65,528.
        bytes: u32,
    },
}

/// An event that a recording has samples of.
#[derive(Clone, Debug)]
pub struct RecordedEvent {
    index: usize,
    name: Vec<u8>,
    /// Whether the recording itself names it; if not, the name is made from its attribute.
    is_named: bool,
    pub(crate) attr: Attr,
    tracepoint: Option<Tracepoint>,
    /// Whether call chains hold the addresses of calls, not return addresses.
    pub(crate) has_chains_of_calls: bool,
}

impl RecordedEvent {
    /// Its index among the recording's events, counted from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its name as perf prints it: `cpu-clock:u`, `sched:sched_switch`. In a stream the name
    /// may come after the first samples, which then have one made from the attribute.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// How the callers of its samples were recorded.
    #[must_use]
    pub fn call_graph(&self) -> CallGraph {
        let Attr { branch_sample_type, sample_stack_user, .. } = self.attr;
        if self.attr.has(fields::STACK_USER) && sample_stack_user > 0 {
            CallGraph::Copies { bytes: sample_stack_user }
        } else if !self.attr.has(fields::CALLCHAIN) {
            CallGraph::None
        } else if branch_sample_type & branches::CALL_STACK != 0 {
            CallGraph::Branches
        } else {
            CallGraph::FramePointers
        }
    }

    /// How many samples a second were to be taken; `None` if each was to stand for the same number
    /// of events.
    #[must_use]
    pub fn frequency(&self) -> Option<u64> {
        self.attr.frequency()
    }

    /// Whether it is a tracepoint, and each time that it was hit is a sample: so it is unless `perf
    /// record` is given a frequency (`-F`) or a period (`-c`).
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_tracepoint() && self.attr.fixed_period() == Some(1)
    }

    /// The clock of the times of its samples, by its number in clock_gettime(2), as `perf record -k`
    /// sets it; `None` if it is the kernel's own.
    #[must_use]
    pub fn clock(&self) -> Option<i32> {
        self.attr.clock()
    }

    /// Whether the switches of threads are recorded with it, as `perf record --switch-events` asks for.
    #[must_use]
    pub fn records_switches(&self) -> bool {
        self.attr.records_switches()
    }

    /// Whether it was counted in the program that perf started and in what that program started,
    /// and not in all programs (`-a`). False also where perf recorded a process that already ran
    /// (`-p`).
    #[must_use]
    pub fn is_of_started_program(&self) -> bool {
        self.attr.begins_with_program()
    }

    /// What ran when a sample of a tracepoint recorded `raw`.
    pub(crate) fn trace_context(&self, raw: &[u8]) -> Option<TraceContext> {
        self.tracepoint.as_ref()?.context(raw)
    }

    fn is_tracepoint(&self) -> bool {
        self.attr.kind == kinds::TRACEPOINT
    }

    /// Appends the fields of a tracepoint's sample, `raw`, as perf prints them.
    pub(crate) fn append_text(&self, raw: &[u8], out: &mut Vec<u8>) {
        if let Some(tracepoint) = &self.tracepoint {
            tracepoint.append_text(raw, out);
        }
    }

    /// Takes over the description of its tracepoint, if there is one.
    fn describe(&mut self, tracepoints: &HashMap<u64, Tracepoint>) {
        let tracepoint = tracepoints.get(&self.attr.config).filter(|_| self.is_tracepoint());
        if let Some(tracepoint) = tracepoint {
            if !self.is_named {
                self.name.clone_from(&tracepoint.name);
            }
            self.tracepoint = Some(tracepoint.clone());
        }
    }
}

/// All events so far.
#[derive(Debug, Default)]
pub(crate) struct Events {
    list: Vec<RecordedEvent>,
    /// The index of the event, by the ids that the kernel gave to its counters.
    by_id: HashMap<u64, usize>,
    /// Whether switches of threads are recorded.
    have_switches: bool,
    /// The last id that was found, and its event: neighbouring records are mostly of the same
    /// counter.
    last: (u64, usize),
    /// The descriptions of tracepoints, by their numbers.
    tracepoints: HashMap<u64, Tracepoint>,
}

impl Events {
    /// Adds an event whose counters have these ids.
    pub(crate) fn add(&mut self, attr: Attr, ids: impl Iterator<Item = u64>) {
        let index = self.list.len();
        self.have_switches |= attr.records_switches();
        let name = default_name(&attr).into_bytes();
        let mut event = RecordedEvent {
            index,
            name,
            is_named: false,
            attr,
            tracepoint: None,
            has_chains_of_calls: false,
        };
        event.describe(&self.tracepoints);
        self.list.push(event);
        self.by_id.extend(ids.map(|id| (id, index)));
    }

    /// Adds the id of a counter of the event with this index.
    pub(crate) fn add_id(&mut self, index: u64, id: u64) {
        if let Some(event) = usize::try_from(index).ok().and_then(|index| self.list.get(index)) {
            self.by_id.insert(id, event.index);
        }
    }

    /// Notes that the recorder itself moved the return addresses in call chains to the calls.
    pub(crate) fn set_chains_of_calls(&mut self) {
        self.list.iter_mut().for_each(|event| event.has_chains_of_calls = true);
    }

    /// Adds the descriptions of tracepoints.
    pub(crate) fn set_tracing_data(&mut self, data: &[u8]) {
        self.tracepoints = tracing::tracepoints(data);
        self.list.iter_mut().for_each(|event| event.describe(&self.tracepoints));
    }

    /// Sets the name of the event with this index to the one in the recording.
    pub(crate) fn set_name(&mut self, index: usize, name: &[u8]) {
        if let Some(event) = self.list.get_mut(index)
            && !name.is_empty()
        {
            event.name = name.to_vec();
            event.is_named = true;
        }
    }

    /// Sets the name of the events with this `type` and `config`.
    pub(crate) fn set_name_by_type(&mut self, kind: u64, config: u64, name: &[u8]) {
        for index in 0..self.list.len() {
            let attr = &self.list[index].attr;
            if (u64::from(attr.kind), attr.config) == (kind, config) {
                let name = [name, attr.modifiers().as_bytes()].concat();
                self.set_name(index, &name);
            }
        }
    }

    /// Sets the name of the event that has a counter with this id.
    pub(crate) fn set_name_by_id(&mut self, id: u64, name: &[u8]) {
        if let Some(index) = self.find(id) {
            self.set_name(index, name);
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&RecordedEvent> {
        self.list.get(index)
    }

    /// The event of a counter.
    pub(crate) fn of_counter(&self, id: u64) -> Option<&RecordedEvent> {
        self.get(*self.by_id.get(&id)?)
    }

    /// Whether a counter says how many samples it lost.
    pub(crate) fn tell_lost(&self) -> bool {
        self.list.iter().any(|event| event.attr.read_format & reads::LOST != 0)
    }

    /// Whether switches of threads are recorded, as `perf record --switch-events` asks for.
    #[inline]
    pub(crate) fn have_switches(&self) -> bool {
        self.have_switches
    }

    /// All of them, in the order of the recording.
    pub(crate) fn all(&self) -> &[RecordedEvent] {
        &self.list
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The index of the event of a counter.
    #[inline]
    pub(crate) fn find(&mut self, id: u64) -> Option<usize> {
        if self.last.0 != id || id == 0 {
            self.last = (id, *self.by_id.get(&id)?);
        }
        Some(self.last.1)
    }

    /// The index of the event that a record belongs to. As in perf, the id is looked for where the
    /// first event has it.
    #[inline]
    pub(crate) fn of_record(&mut self, body: U64s<'_>, is_sample: bool) -> Option<usize> {
        let attr = &self.list.first()?.attr;
        if self.list.len() == 1 || !is_sample && !attr.sample_id_all() {
            return Some(0);
        }
        let id = if is_sample {
            body.get(id_from_start(attr)?)?
        } else {
            body.get(body.len().checked_sub(id_from_end(attr)?)?)?
        };
        // Records that perf itself made at the start have no counter.
        if id == 0 { Some(0) } else { self.find(id) }
    }
}

/// How many numbers come before the id in a sample.
fn id_from_start(attr: &Attr) -> Option<usize> {
    if attr.has(fields::IDENTIFIER) {
        return Some(0);
    }
    let before = [fields::IP, fields::TID, fields::TIME, fields::ADDR];
    attr.has(fields::ID).then(|| before.iter().filter(|field| attr.has(**field)).count())
}

/// How far the id is from the end of other records, in numbers of 64 bits.
fn id_from_end(attr: &Attr) -> Option<usize> {
    if attr.has(fields::IDENTIFIER) {
        return Some(1);
    }
    let after = [fields::STREAM_ID, fields::CPU];
    attr.has(fields::ID).then(|| 1 + after.iter().filter(|field| attr.has(**field)).count())
}

/// The name that perf gives to an event that has only its attribute.
fn default_name(attr: &Attr) -> String {
    const HARDWARE: [&str; 10] = [
        "cycles",
        "instructions",
        "cache-references",
        "cache-misses",
        "branches",
        "branch-misses",
        "bus-cycles",
        "stalled-cycles-frontend",
        "stalled-cycles-backend",
        "ref-cycles",
    ];
    const SOFTWARE: [&str; 12] = [
        "cpu-clock",
        "task-clock",
        "page-faults",
        "context-switches",
        "cpu-migrations",
        "minor-faults",
        "major-faults",
        "alignment-faults",
        "emulation-faults",
        "dummy",
        "bpf-output",
        "cgroup-switches",
    ];
    // On a hybrid processor, the upper half of the number is the kind of core.
    let known = |names: &[&str]| {
        names.get((attr.config & 0xffff_ffff) as usize).map(|name| (*name).to_owned())
    };
    let name = match attr.kind {
        kinds::HARDWARE => known(&HARDWARE).unwrap_or_else(|| "unknown-hardware".to_owned()),
        kinds::SOFTWARE => known(&SOFTWARE).unwrap_or_else(|| "unknown-software".to_owned()),
        // Without its description, perf cannot name it either.
        kinds::TRACEPOINT => return format!("tracepoint:{}", attr.config),
        kinds::CACHE => cache_name(attr.config).unwrap_or_else(|| "unknown-cache".to_owned()),
        kinds::RAW => format!("raw 0x{:x}", attr.config),
        kinds::BREAKPOINT => format!("mem:0x{:x}", attr.address),
        kind => format!("event {kind}/0x{:x}", attr.config),
    };
    name + &attr.modifiers()
}

/// `L1-dcache-load-misses`: the number says which cache, which operation, and with which result.
fn cache_name(config: u64) -> Option<String> {
    const CACHES: [&str; 7] = ["L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"];
    const ACTS: [(&str, &str); 3] =
        [("load", "loads"), ("store", "stores"), ("prefetch", "prefetches")];
    let cache = CACHES.get((config & 0xff) as usize)?;
    let (one, all) = ACTS.get((config >> 8 & 0xff) as usize)?;
    match config >> 16 & 0xff {
        0 => Some(format!("{cache}-{all}")),
        1 => Some(format!("{cache}-{one}-misses")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_nobody_named_are_called_as_perf_does() {
        const EXCLUDE_KERNEL_AND_HV: u64 = 1 << 5 | 1 << 6;
        const PRECISE: u64 = 2 << 15;
        for (kind, config, flags, name) in [
            (0, 0, 0, "cycles"),
            (0, 1, EXCLUDE_KERNEL_AND_HV, "instructions:u"),
            (0, 0, EXCLUDE_KERNEL_AND_HV | PRECISE, "cycles:upp"),
            // Of the small cores of a hybrid processor.
            (0, 10 << 32, 0, "cycles"),
            (1, 2, 0, "page-faults"),
            (2, 316, 0, "tracepoint:316"),
            (3, 0x1_0000, 0, "L1-dcache-load-misses"),
            (3, 0x2, 0, "LLC-loads"),
            (4, 0x1c2, PRECISE, "raw 0x1c2:pp"),
            (9, 0xff, 0, "event 9/0xff"),
        ] {
            // Kind and size, config, then period, fields, read format and flags.
            let words = [kind | 64 << 32, config, 0, 0, 0, flags, 0, 0];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let attr = Attr::parse(&bytes).expect("64 bytes");
            assert_eq!(default_name(&attr), name);
        }
    }
}
