//! Where samples come from. Mostly they are taken as they were recorded; a [`Source`] makes others
//! out of those, such as the time between two switches.

mod off_cpu;
mod switch;
mod wakers;

use std::fmt;

use bstr::ByteSlice;
use common::{pipe::Pipe, stacks::NodeId};

use super::events::{Events, Measure};
use super::root::Root;
use super::sample::{OpenSample, Sample};
use super::sums::{Noted, Sums};

pub(super) use off_cpu::{OffCpu, Whose};
pub(super) use wakers::Wakers;

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

    /// Notes what became of a thread that left its processor by a switch without a text.
    fn switched(&mut self, _tid: &[u8], _time: u64, _turn: Turn, _sums: &mut Sums) {}

    /// Notes that the recorder started a program, and which process that is, if that is known yet.
    fn started(&mut self, _pid: Option<u32>) {}

    /// Takes one of the samples that are complete, until there is none.
    fn take(&mut self) -> Option<Made>;

    /// Reports what is missing in the samples that were made.
    fn report(&self, pipe: &mut Pipe);
}

/// What became of a thread in a switch without a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It left its processor.
    Left,
    /// It left its processor in the last switch though it could go on.
    Preempted,
    /// It got a processor again.
    Back,
}

/// A sample that a source made.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) leaf: NodeId,
    pub(super) labels: Noted,
    /// In the unit of the source.
    pub(super) weight: u64,
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
