//! A thread from its first moment to its last.

use common::numbers::shared;
use common::stacks::{FrameId, NodeId};
use hashbrown::HashMap;

use super::timeline::{Piece, Timeline};
use crate::samples::sources::{Slice, State, Waker, WakerStack, Who};

/// A thread, and what it did.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) pid: Option<u32>,
    pub(super) comm: FrameId,
    /// The process that made this one, if it is the first thread of its process.
    pub(super) parent: Option<u32>,
    pub(super) timeline: Timeline,
    /// Whether any record is its own, and not one of a thread that it followed or woke: others are
    /// not part of the recording.
    pub(super) is_recorded: bool,
    pub(super) end: End,
    /// The stack of the sample that shows where it leaves in the next record of a switch.
    pub(super) leaves_at: Option<NodeId>,
    /// How long it ran, in nanoseconds, and the periods of its samples, by their leaves.
    pub(super) ran: u64,
    samples: HashMap<NodeId, u128>,
    order: Vec<NodeId>,
}

/// Whether a thread has ended. The record of its end comes before it gives its memory back and wakes
/// who joins it: it goes on until it leaves its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    NotYet,
    /// When it was last heard of.
    Ending(u64),
    /// All that it did is known.
    Gone,
}

impl Life {
    pub(super) fn new(pid: Option<u32>, comm: FrameId, timeline: Timeline) -> Life {
        Life {
            pid,
            comm,
            parent: None,
            timeline,
            is_recorded: false,
            end: End::NotYet,
            leaves_at: None,
            ran: 0,
            samples: HashMap::new(),
            order: Vec::new(),
        }
    }

    /// Adds a sample to those among which the time that it ran is shared.
    pub(super) fn add_sample(&mut self, leaf: NodeId, period: u64) {
        let sum = self.samples.entry(leaf).or_insert_with(|| {
            self.order.push(leaf);
            0
        });
        *sum += u128::from(period.max(1));
    }

    /// The slice of a piece.
    pub(super) fn slice(&self, tid: u32, piece: Piece) -> Slice {
        let Piece { from, to, state, leaf, waker } = piece;
        Slice {
            pid: self.pid,
            tid,
            comm: self.comm,
            time: from,
            length: to - from,
            state,
            leaf,
            waker,
        }
    }

    /// The time that it ran, shared among all its samples by their periods; exact in sum. A thread
    /// may run often and for less time than passes between two samples: one slice without a sample
    /// says nothing, all together do.
    pub(super) fn share_out(&mut self) -> Vec<(Option<NodeId>, u64)> {
        let (samples, order) = (std::mem::take(&mut self.samples), std::mem::take(&mut self.order));
        let ran = std::mem::take(&mut self.ran);
        if order.is_empty() {
            return vec![(None, ran)];
        }
        let parts = order.iter().map(|leaf| (Some(*leaf), samples[leaf])).collect();
        shared(ran, parts).collect()
    }
}

/// The ends of threads and processes: in a recording of one program, what a thread records ends
/// before it wakes who joins it, or who waits for its process.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// The last ends of threads of each process, and of the processes that it made, in the order of
    /// time.
    by_process: HashMap<(u32, WaitsFor), Vec<Ended>>,
}

/// What a thread may wait for that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WaitsFor {
    Thread,
    Process,
}

/// The end of a thread.
#[derive(Clone, Copy, Debug)]
struct Ended {
    time: u64,
    tid: u32,
    comm: FrameId,
}

/// A join comes at most so long after the end of a thread, in nanoseconds.
const JOIN: u64 = 10_000_000;

impl Ends {
    /// Notes that a thread ended, or that it did so only at this time.
    pub(super) fn note(&mut self, tid: u32, life: &Life, time: u64) {
        let Life { pid, comm, parent, .. } = *life;
        for (process, what) in [(pid, WaitsFor::Thread), (parent, WaitsFor::Process)] {
            let Some(process) = process else { continue };
            let ends = self.by_process.entry((process, what)).or_default();
            ends.retain(|it| it.tid != tid && it.time + JOIN > time);
            ends.push(Ended { time, tid, comm });
        }
    }

    /// The thread of this process that ended last before `to`, if a wait from `from` to then may
    /// have been for it.
    fn last(
        &self,
        pid: u32,
        what: WaitsFor,
        tid: u32,
        Piece { from, to, .. }: Piece,
    ) -> Option<Ended> {
        let ends = self.by_process.get(&(pid, what))?;
        let is_near = |it: &Ended| from < it.time && it.time < to && to - it.time < JOIN;
        ends.iter().rev().find(|it| it.tid != tid && is_near(it)).copied()
    }

    /// A wait whose waking was not recorded, and that ended shortly after a thread of its process did,
    /// or a process that this one had made: it is taken to have waited for that. The kernel wakes who
    /// joins a thread at once, so the rest of such a wait is runnable; a process is still taken down.
    pub(super) fn waited(
        &self,
        what: WaitsFor,
        pid: Option<u32>,
        tid: u32,
        wait: Piece,
    ) -> Option<Vec<Piece>> {
        let ended = self.last(pid?, what, tid, wait)?;
        let (who, stack) = (Who::Thread(ended.tid), Some(WakerStack::Ended(ended.comm)));
        let waker = Some(Waker { who, stack });
        Some(match what {
            WaitsFor::Process => vec![Piece { waker, ..wait }],
            WaitsFor::Thread => vec![
                Piece { to: ended.time, waker, ..wait },
                Piece { from: ended.time, state: State::Runnable, ..wait },
            ],
        })
    }
}
