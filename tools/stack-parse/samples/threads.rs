//! What happens to threads and processes between samples.

use common::stacks::FrameId;

use super::Samples;
use super::events::Fate;
use super::sample::Time;

/// What a recorder says of a thread between samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadNews<'a> {
    pub(crate) pid: Option<u32>,
    pub(crate) tid: u32,
    /// Its name from now on.
    pub(crate) comm: &'a [u8],
    /// In nanoseconds, on the recording's clock.
    pub(crate) time: u64,
    pub(crate) turn: Turn,
}

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It left its processor.
    Left,
    /// It left its processor in the last switch though it could go on.
    Preempted,
    /// It got a processor again.
    Back,
    /// Its wait ended at this time: this thread woke it, which has this name; 0 is the idle task.
    /// For recorders that say so when it gets a processor.
    Woken { at: u64, by: u32, name: FrameId },
    /// It got this name.
    Named,
    /// This thread made it.
    Made { by: u32 },
    /// It ended.
    Ended,
}

impl Samples<'_> {
    /// Notes that the recorder started a program, and which process that is, if that is known yet.
    pub(crate) fn started(&mut self, pid: Option<u32>) {
        if let Some(source) = &mut self.source {
            source.started(pid);
        }
    }

    /// Notes which events are recorded, and whether switches of threads are, where the input says so
    /// before its samples.
    pub(crate) fn recorded(&mut self, events: &[&[u8]], has_switches: bool) {
        if let Some(source) = &mut self.source {
            source.recorded(events, has_switches);
        }
    }

    /// Notes a thread that existed before the recording began.
    pub(crate) fn existed(&mut self, pid: u32, tid: u32, comm: &[u8]) {
        let Samples { source, sums, .. } = self;
        if let Some(source) = source {
            source.existed([pid, tid], comm, sums);
        }
    }

    /// Notes what became of a thread.
    pub(crate) fn note_thread(&mut self, news: &ThreadNews<'_>) {
        let fate = self.window.fate(true, Some(Time::Nanoseconds(news.time)), None);
        if let Some(source) = self.source.as_mut().filter(|_| fate == Fate::Taken) {
            source.note_thread(news, &mut self.sums);
        }
    }
}
