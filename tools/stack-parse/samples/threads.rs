//! What happens to threads and processes between samples.

use super::events::Fate;
use super::sample::Time;
use super::{Samples, Turn};

impl Samples<'_> {
    /// Notes that the recorder started a program, and which process that is, if that is known yet.
    pub(crate) fn started(&mut self, pid: Option<u32>) {
        if let Some(source) = &mut self.source {
            source.started(pid);
        }
    }

    /// Notes what became of a thread after a [`Sample::leaves`], at this time in nanoseconds.
    pub(crate) fn switched(&mut self, tid: &[u8], time: u64, turn: Turn) {
        let fate = self.window.fate(true, Some(Time::Nanoseconds(time)), None);
        if let Some(source) = self.source.as_mut().filter(|_| fate == Fate::Taken) {
            source.switched(tid, time, turn, &mut self.sums);
            self.add_made();
        }
    }
}
