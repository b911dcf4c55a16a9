//! The properties that samples share, with the numbers under which samples are held.

use hashbrown::HashMap;

use super::FORMAT;
use super::code::Codes;
use super::titles::Titles;
use crate::read::held::{Drawn, Held, Thread};
use crate::read::own_labels::OwnLabels;

/// The properties that samples share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lane {
    /// Samples of a thread. Event and unit are texts; the unit is 0 where each sample counts as
    /// one.
    Sampled { event: u32, unit: u32, process: i64, thread: i64, cpu: Option<u64> },
    /// Spans of a thread that has no track.
    Thread { process: i64, thread: i64 },
    /// Spans of a track.
    Track(u64),
    /// Spans that move from thread to thread; the scope is a text.
    Task { process: i64, scope: u32, id: u64 },
    /// Memory of a process. The heap is a text.
    Heap { event: usize, process: i64, heap: u32 },
}

/// The events of memory and their units.
pub(super) const HEAP_EVENTS: [(&str, &str); 6] = [
    ("allocated", "bytes"),
    ("freed", "bytes"),
    // Those that were sampled: unlike the bytes, they are not scaled.
    ("allocations", "samples"),
    ("frees", "samples"),
    ("max", "bytes"),
    ("in-use", "bytes"),
];

#[derive(Default)]
pub(super) struct Lanes {
    numbers: HashMap<Lane, u32>,
    last: Option<(Lane, u32)>,
}

impl Lanes {
    /// The number for samples of this lane.
    pub(super) fn number(&mut self, lane: Lane, held: &mut Held) -> u32 {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == lane) {
            return number;
        }
        let number = *self.numbers.entry(lane).or_insert_with(|| held.thread(Thread::default()));
        self.last = Some((lane, number));
        number
    }

    /// All lanes, with their names. Those of spans are in the order of their events: the first is
    /// the default.
    pub(super) fn name(&self, titles: &Titles, codes: &Codes, held: &mut Held) -> Vec<(Lane, u32)> {
        let mut lanes: Vec<_> =
            self.numbers.iter().map(|(lane, number)| (*lane, *number)).collect();
        lanes.sort_unstable();
        for (lane, number) in &lanes {
            *held.thread_mut(*number) = lane.thread(titles, codes);
        }
        lanes.sort_by_key(|(lane, number)| {
            let event = &held.thread_mut(*number).event[..];
            (lane.rank(), event != b"samples", event == b"async-time")
        });
        lanes
    }
}

impl Lane {
    /// Samples come before spans, and spans before memory.
    fn rank(self) -> u32 {
        match self {
            Lane::Sampled { .. } => 0,
            Lane::Thread { .. } | Lane::Track(_) | Lane::Task { .. } => 1,
            Lane::Heap { event, .. } => 2 + event as u32,
        }
    }

    pub(super) fn has_spans(self) -> bool {
        matches!(self, Lane::Thread { .. } | Lane::Track(_) | Lane::Task { .. })
    }

    fn thread(self, titles: &Titles, codes: &Codes) -> Thread {
        match self {
            Lane::Sampled { event, unit, process, thread, cpu } => Thread {
                event: codes.text_of(event).to_vec(),
                unit: if unit == 0 { b"samples".into() } else { codes.text_of(unit).to_vec() },
                cpu: cpu.map(|cpu| cpu.to_string().into_bytes()).unwrap_or_default(),
                is_measure: unit != 0,
                drawn: if unit == 0 { Drawn::Weight } else { Drawn::Unknown },
                ..of_thread(process, Some(thread), titles)
            },
            Lane::Thread { process, thread } => {
                Thread { event: b"time".into(), ..of_thread(process, Some(thread), titles) }
            }
            Lane::Task { process, .. } => {
                Thread { event: b"async-time".into(), ..of_thread(process, None, titles) }
            }
            Lane::Track(track) => {
                let whose = titles.track(track);
                let event: &[u8] = if whose.is_thread { b"time" } else { b"async-time" };
                let process = whose.process.map(|process| titles.process(process).to_vec());
                Thread {
                    name: whose.name,
                    pid: number(whose.process),
                    tid: number(whose.thread),
                    process: process.unwrap_or_default(),
                    event: event.into(),
                    ..Thread::default()
                }
            }
            Lane::Heap { event, process, heap } => {
                let (event, unit) = HEAP_EVENTS[event];
                let mut labels = OwnLabels::default();
                labels.add_known(FORMAT.name, "heap", codes.text_of(heap));
                Thread {
                    event: event.into(),
                    unit: unit.into(),
                    is_measure: true,
                    labels,
                    ..of_thread(process, None, titles)
                }
            }
        }
    }
}

/// The names and ids of a thread, or of a process alone.
fn of_thread(process: i64, thread: Option<i64>, titles: &Titles) -> Thread {
    let name = thread.map_or(titles.process(process), |thread| titles.thread(process, thread));
    Thread {
        name: name.to_vec(),
        pid: number(Some(process).filter(|process| *process != 0)),
        tid: number(thread.filter(|thread| *thread != 0)),
        process: titles.process(process).to_vec(),
        ..Thread::default()
    }
}

fn number(number: Option<i64>) -> Vec<u8> {
    number.map(|number| number.to_string().into_bytes()).unwrap_or_default()
}
