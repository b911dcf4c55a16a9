//! Where samples come from. Mostly they are taken as they were recorded; a [`Source`] makes others
//! out of those, such as the time between two switches.

mod off_cpu;
mod switch;
mod wakers;
mod wall;

use std::fmt;

use bstr::ByteSlice;
pub(super) use common::folded::ThreadState as State;
use common::pipe::Pipe;
use common::stacks::{FrameId, NodeId};

use super::events::{Events, Measure};
use super::root::Root;
use super::sample::{OpenSample, Sample};
use super::sums::{Noted, Sums};
use super::threads::ThreadNews;

pub(super) use off_cpu::{OffCpu, Whose};
pub(super) use wakers::Wakers;
pub(super) use wall::Wall;

/// Makes samples out of those that were recorded: of one recorded sample none or several.
///
/// A recorded sample is opened; if its stack is needed, its frames are read and it is closed. Then,
/// and at the end of each input, all samples that are complete are taken. A source that waits for
/// what ends its samples keeps their leaf nodes, which stay valid.
pub(super) trait Source: fmt::Debug + Send {
    /// The recorded events that are needed.
    fn events(&self) -> Events;

    /// What its samples measure, for the header.
    fn measure(&self) -> Measure<'static>;

    /// Whether the stack of a recorded sample may be needed. If not, a format need not look for it.
    /// Asked in the order of time, but maybe long before the sample is opened.
    fn needs_frames(&mut self, event: &[u8], ids: Ids, text: &[u8]) -> bool;

    /// Notes a recorded sample. Returns whether its stack is needed: then it is closed next.
    fn open(&mut self, origin: &Sample<'_>, root: &Root, sums: &mut Sums) -> bool;

    /// Notes the stack of that sample, which ends in `leaf`.
    fn close(&mut self, sample: &OpenSample, leaf: NodeId, sums: &mut Sums);

    /// Notes that the recording ends; the next one has other threads. `events` are those found in
    /// it.
    ///
    /// # Errors
    ///
    /// What the recording lacks.
    fn end_input(&mut self, events: &Events) -> Result<(), &'static str>;

    /// Notes what became of a thread between samples.
    fn note_thread(&mut self, _news: &ThreadNews<'_>, _sums: &mut Sums) {}

    /// Notes a process and its thread that existed before the recording began.
    fn existed(&mut self, _ids: [u32; 2], _comm: &[u8], _sums: &mut Sums) {}

    /// Notes the names of the recorded events, and whether switches of threads are recorded, where
    /// the input says so before its samples.
    fn recorded(&mut self, _events: &[&[u8]], _has_switches: bool) {}

    /// Whether it makes slices, which get labels of their own and not those of a recorded sample.
    fn makes_slices(&self) -> bool {
        false
    }

    /// Notes that the recorder started a program, and which process that is, if that is known yet.
    fn started(&mut self, _pid: Option<u32>) {}

    /// Takes one of the samples that are complete, until there is none.
    fn take(&mut self) -> Option<Made>;

    /// Reports what is missing in the samples that were made.
    fn report(&self, pipe: &mut Pipe);
}

/// What a source made.
#[derive(Debug)]
pub(super) enum Made {
    /// A sample with the labels of a recorded one.
    Sample {
        leaf: NodeId,
        labels: Noted,
        /// In the unit of the source.
        weight: u64,
    },
    Slice(Slice),
}

/// What a thread did for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) pid: Option<u32>,
    pub(super) tid: u32,
    /// The name of the thread.
    pub(super) comm: FrameId,
    /// When it began and how long it lasted, in nanoseconds.
    pub(super) time: u64,
    pub(super) length: u64,
    pub(super) state: State,
    /// The stack, if it is known.
    pub(super) leaf: Option<NodeId>,
    pub(super) waker: Option<Waker>,
}

/// Who ended a wait, or made a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waker {
    pub(super) who: Who,
    pub(super) stack: Option<WakerStack>,
}

/// The stack of a waker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WakerStack {
    Recorded {
        /// The node of its root frame.
        base: NodeId,
        leaf: NodeId,
        /// The frame that names it.
        name: FrameId,
    },
    /// It was not recorded: the thread of this name had ended.
    Ended(FrameId),
    /// It was not recorded; this frame names it.
    Unknown(FrameId),
}

/// What runs on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Thread(u32),
    /// An interrupt, which has no relation to the thread that it stopped.
    Interrupt,
    /// The idle task of a processor.
    Idle,
}

/// The ids of a sample's process and thread, where they are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    pub(crate) pid: Option<u32>,
    pub(crate) tid: Option<u32>,
}

impl Ids {
    fn of(origin: &Sample<'_>) -> Ids {
        let number = |id: Option<&[u8]>| id?.to_str().ok()?.parse().ok();
        Ids { pid: number(origin.pid), tid: number(origin.tid) }
    }
}
