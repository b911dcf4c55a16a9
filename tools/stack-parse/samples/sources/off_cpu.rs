//! Time spent blocked, from the scheduler's switches: `--off-cpu`.
//!
//! `sched:sched_switch` is recorded in the thread that leaves the processor,
//! with its stack: from then until a switch to that thread it is blocked.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use common::pipe::Pipe;
use common::stacks::{FrameId, NodeId};

use super::switch::{EVENT, Switch};
use super::wakers::{WAKINGS, Wakers, is_waking, woken};
use super::{Ids, Made, Source};
use crate::remedies;
use crate::samples::events::{Events, Measure};
use crate::samples::root::Root;
use crate::samples::sample::{OpenSample, Sample, Time};
use crate::samples::sums::{Noted, Sums};
use crate::samples::threads::{ThreadNews, Turn};

/// Whose threads count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of all processes.
    #[default]
    All,
    Process(u32),
    /// Those of the program that the recorder started, or of all if it started none.
    Program,
}

impl FromStr for Whose {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Whose, &'static str> {
        match text {
            "program" => Ok(Whose::Program),
            pid => pid.parse().map(Whose::Process).map_err(|_| "expected a PID or 'program'"),
        }
    }
}

/// The threads that left their processor, and the current switch.
#[derive(Debug, Default)]
pub(crate) struct OffCpu {
    whose: Whose,
    /// Whether the recorder started a program, and which process that is, once it is known.
    program: Option<Option<u32>>,
    /// Where and when each thread left its processor, by its id.
    away: HashMap<Vec<u8>, Away>,
    leaving: Option<(Vec<u8>, u64)>,
    /// The threads that may have been blocked so far and count, if the user asked for wakers.
    blocked: HashSet<Vec<u8>>,
    /// The thread that the current waking wakes, and the frame that names its waker.
    waking: Option<(Vec<u8>, FrameId)>,
    /// `None` unless the user asked for wakers.
    wakers: Option<Wakers>,
    /// Whether wakers were named without their own event.
    has_names: bool,
    /// The waits that ended.
    ended: Vec<Made>,
    preempted: u64,
    /// How many threads did not come back before their recording ended.
    gone: usize,
    /// How many waits ended with a switch that was not recorded: the thread left once more.
    unended: u64,
    unreadable: u64,
    /// Switches of an unknown process, where only those of one process count.
    without_process: u64,
    /// Whether any switch is of the process that counts.
    has_process: bool,
}

/// Where and when a thread left its processor, in nanoseconds, and the labels of that switch.
#[derive(Debug)]
struct Away {
    leaf: NodeId,
    /// The leaf with the stack that woke it, if that is known.
    woken: Option<NodeId>,
    since: u64,
    labels: Noted,
}

/// Why a thread left the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It waits.
    Blocked,
    /// It could go on, but another thread got the processor.
    Preempted,
    /// It has ended; or it is the idle task, which has nothing to do; or it is of another process.
    NotCounted,
}

impl OffCpu {
    pub(crate) fn new(whose: Whose, wakers: Option<Wakers>) -> OffCpu {
        OffCpu { whose, wakers, ..OffCpu::default() }
    }

    /// Whether the threads of this process count.
    fn counts(&self, pid: Option<u32>) -> bool {
        match self.whose {
            Whose::All => true,
            Whose::Process(whose) => pid == Some(whose),
            Whose::Program => self.program.is_none_or(|it| it.is_some() && it == pid),
        }
    }

    fn left(&self, ids: Ids, switch: &Switch<'_>) -> Left {
        match (ids.tid, switch.state) {
            (None | Some(0), _) | (_, b'X' | b'Z') => Left::NotCounted,
            _ if !self.counts(ids.pid) => Left::NotCounted,
            (_, b'R') => Left::Preempted,
            _ => Left::Blocked,
        }
    }

    /// Whether samples of an event are wakings, and the user asked for wakers.
    fn is_waking(&self, event: &[u8]) -> bool {
        self.wakers.is_some() && is_waking(event)
    }

    /// Notes a switch. The thread that comes back is no longer blocked. Returns whether the thread
    /// that left is.
    fn switch(&mut self, origin: &Sample<'_>, sums: &mut Sums) -> bool {
        self.leaving = None;
        let switch = if origin.leaves { Some(Switch::AWAY) } else { Switch::parse(origin.text) };
        let (Some(switch), Some(now)) = (switch, origin.time.and_then(Time::nanoseconds)) else {
            self.unreadable += 1;
            return false;
        };
        self.end_wait(switch.next, now, sums);
        let ids = Ids::of(origin);
        self.without_process +=
            u64::from(matches!(self.whose, Whose::Process(_)) && origin.pid.is_none());
        self.has_process |= self.counts(ids.pid);
        let left = self.left(ids, &switch);
        // A thread that leaves was running, so its last wait had ended even if that was not
        // recorded.
        let is_unended = origin.tid.is_some_and(|tid| self.away.remove(tid).is_some());
        self.unended += u64::from(is_unended);
        self.preempted += u64::from(left == Left::Preempted);
        if left == Left::Blocked {
            self.leaving = origin.tid.map(|tid| (tid.to_vec(), now));
        }
        left == Left::Blocked
    }

    /// Ends the wait of the thread with this id, if it was blocked.
    fn end_wait(&mut self, tid: &[u8], now: u64, sums: &mut Sums) {
        let Some(Away { leaf, woken, since, labels }) = self.away.remove(tid) else { return };
        let weight = now.saturating_sub(since);
        let leaf = match &mut self.wakers {
            Some(wakers) => woken.unwrap_or_else(|| wakers.unknown(leaf, weight, &mut sums.tree)),
            None => leaf,
        };
        self.ended.push(Made::Sample { leaf, labels, weight });
    }

    /// Notes the name of the thread that woke another, unless its waking was recorded.
    fn woken_by(&mut self, tid: &[u8], name: FrameId, sums: &mut Sums) {
        let (Some(wakers), Some(away)) = (&self.wakers, self.away.get_mut(tid)) else { return };
        self.has_names = true;
        let Sums { tree, frames, .. } = sums;
        let no_stack = (away.leaf, away.leaf);
        away.woken.get_or_insert_with(|| wakers.below(away.leaf, no_stack, name, tree, frames));
    }

    /// Notes a waking. Returns whether it is the first for a blocked thread, so that its stack is
    /// needed.
    fn waking(&mut self, origin: &Sample<'_>, root: &Root, sums: &mut Sums) -> bool {
        self.waking = None;
        let (Some(wakers), Some(tid)) = (&self.wakers, woken(origin.text)) else { return false };
        if self.away.get(tid).is_some_and(|away| away.woken.is_none()) {
            self.waking = Some((tid.to_vec(), wakers.name(origin, root, sums)));
        }
        self.waking.is_some()
    }
}

impl Source for OffCpu {
    fn events(&self) -> Events {
        let [waking, wakeup] = WAKINGS;
        let names = [EVENT, waking, wakeup];
        let names = if self.wakers.is_some() { &names } else { &names[..1] };
        Events::only(names, remedies::NO_SWITCH)
    }

    fn measure(&self) -> Measure<'static> {
        Measure { name: b"off-cpu", unit: b"ns" }
    }

    fn needs_frames(&mut self, event: &[u8], ids: Ids, text: &[u8]) -> bool {
        if event != EVENT.as_bytes() {
            // In a recording of the whole system, most wakings are of other processes.
            let was_blocked = |tid: &[u8]| self.blocked.contains(tid);
            return self.is_waking(event) && woken(text).is_some_and(was_blocked);
        }
        let blocks = |switch| self.left(ids, &switch) == Left::Blocked;
        // Without a text, it is one that leaves.
        let may_block = text.is_empty() || Switch::parse(text).is_some_and(blocks);
        if let Some(tid) = ids.tid.filter(|_| may_block && self.wakers.is_some()) {
            self.blocked.insert(tid.to_string().into_bytes());
        }
        may_block
    }

    fn open(&mut self, origin: &Sample<'_>, root: &Root, sums: &mut Sums) -> bool {
        match self.is_waking(origin.event) {
            true => self.waking(origin, root, sums),
            false => self.switch(origin, sums),
        }
    }

    fn close(&mut self, sample: &OpenSample, leaf: NodeId, sums: &mut Sums) {
        if let (Some(wakers), Some((tid, name))) = (&self.wakers, self.waking.take()) {
            if let Some(away) = self.away.get_mut(&tid) {
                let Sums { tree, frames, .. } = sums;
                let waker = (sample.base, leaf);
                away.woken = Some(wakers.below(away.leaf, waker, name, tree, frames));
            }
        } else if let Some((tid, since)) = self.leaving.take() {
            let (leaf, labels) = (sums.some_frame(sample, leaf), sums.noted_labels());
            self.away.insert(tid, Away { leaf, woken: None, since, labels });
        }
    }

    fn note_thread(&mut self, news: &ThreadNews<'_>, sums: &mut Sums) {
        let tid = || news.tid.to_string().into_bytes();
        match news.turn {
            Turn::Preempted => self.preempted += u64::from(self.away.remove(&tid()).is_some()),
            Turn::Back => self.end_wait(&tid(), news.time, sums),
            Turn::Woken { name, .. } => self.woken_by(&tid(), name, sums),
            // Where it left is in the sample of that switch, which came before.
            Turn::Left | Turn::Named | Turn::Made { .. } | Turn::Ended => {}
        }
    }

    fn started(&mut self, pid: Option<u32>) {
        self.program = Some(pid);
    }

    fn end_input(&mut self, events: &Events) -> Result<(), &'static str> {
        self.gone += self.away.len();
        self.away.clear();
        self.blocked.clear();
        let has_switches = || events.has_samples_of(|event| event == EVENT.as_bytes());
        let has_names = std::mem::take(&mut self.has_names);
        let has_wakings = || has_names || events.has_samples_of(is_waking);
        match self.wakers.is_some() && has_switches() && !has_wakings() {
            true => Err(remedies::NO_WAKING),
            false => Ok(()),
        }
    }

    fn take(&mut self) -> Option<Made> {
        self.ended.pop()
    }

    fn report(&self, pipe: &mut Pipe) {
        match self.whose {
            Whose::Process(pid) if !self.has_process && self.without_process == 0 => {
                pipe.note(format_args!("off-cpu: no switch is of process {pid}"));
            }
            Whose::Program if !self.has_process && self.program.is_some() => {
                pipe.note("off-cpu: no switch is of the program that perf started");
            }
            _ => {}
        }
        if self.without_process > 0 {
            let without = match self.without_process {
                1 => "1 switch does not say of which process it is, and is".to_owned(),
                many => format!("{many} switches do not say of which process they are, and are"),
            };
            pipe.note(format_args!(
                "off-cpu: {without} left out: give the perf.data itself, or the text of \
                 'perf script -F +pid'"
            ));
        }
        for (count, one, several) in [
            (
                self.preempted,
                "switch away from a thread that could go on",
                "switches away from threads that could go on",
            ),
            (self.gone as u64, "thread that did not come back", "threads that did not come back"),
            (self.unended, "wait whose end was not recorded", "waits whose end was not recorded"),
            (
                self.unreadable,
                "sample that is not a switch, or has no time,",
                "samples that are not switches, or have no time,",
            ),
        ] {
            if count > 0 {
                let what = if count == 1 { one } else { several };
                pipe.note(format_args!("off-cpu: {count} {what} left out"));
            }
        }
        if let Some((count @ 1.., weight)) = self.wakers.as_ref().map(|it| it.without) {
            let waits = if count == 1 { "1 wait".to_owned() } else { format!("{count} waits") };
            let seconds = weight as f64 / 1e9;
            pipe.note(format_args!(
                "off-cpu: {waits} of {seconds:.6} s without a known waker: [unknown waker]"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use common::stacks::FrameTable;

    use super::*;

    #[test]
    fn stacks_are_only_needed_of_those_who_wait_and_of_their_wakers() {
        let mut source =
            OffCpu::new(Whose::Process(1), Some(Wakers::new(&mut FrameTable::default())));
        let mut needs = |event: &str, [pid, tid]: [u32; 2], text: &str| {
            let ids = Ids { pid: Some(pid), tid: Some(tid) };
            source.needs_frames(event.as_bytes(), ids, text.as_bytes())
        };
        let leaves = "a:7 [120] S ==> b:9 [120]";
        let wakes = |tid| format!("comm=a pid={tid} prio=120 target_cpu=000");
        // Thread 7 of process 1 does not wait yet, and thread 9 is of process 2.
        assert!(!needs(WAKINGS[0], [2, 9], &wakes(7)));
        assert!(needs(EVENT, [1, 7], leaves) && !needs(EVENT, [2, 9], leaves));
        assert!(needs(WAKINGS[0], [2, 9], &wakes(7)) && !needs(WAKINGS[0], [1, 8], &wakes(9)));
        assert!(!needs("cycles", [1, 7], ""));
    }
}
