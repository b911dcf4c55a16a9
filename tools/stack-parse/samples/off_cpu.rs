//! Time spent blocked, from the scheduler's switches: `--off-cpu`.
//!
//! `sched:sched_switch` is recorded in the thread that leaves the processor,
//! with its stack: from then until a switch to that thread it is blocked.

use std::collections::HashMap;

use bstr::ByteSlice;
use common::pipe::Pipe;
use common::stacks::{FrameId, FrameTable, NodeId, StackTree};

use super::Samples;
use super::events::Events;
use super::labelled::{Labelled, Noted};
use super::root::Root;
use super::sample::{OpenSample, Sample, Time};
use super::sink::Sink;
use super::wakers::{WAKINGS, Wakers, is_waking, woken};
use crate::remedies;

/// The event with the times of switches.
pub(crate) const EVENT: &str = "sched:sched_switch";

/// The name and the unit of the sums in the header.
pub(super) const NAME: &[u8] = b"off-cpu";
pub(super) const UNIT: &[u8] = b"ns";

/// The threads that left their processor, and the current switch.
#[derive(Debug)]
pub(crate) struct OffCpu {
    /// The process whose threads count; `None` for all processes.
    pid: Option<u32>,
    /// Where and when each thread left its processor, by its id.
    away: HashMap<Vec<u8>, Away>,
    leaving: Option<(Vec<u8>, u64)>,
    /// The thread that the current waking wakes, and the frame that names its waker.
    waking: Option<(Vec<u8>, FrameId)>,
    /// `None` unless the user asked for wakers.
    wakers: Option<Wakers>,
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
    /// Counts the threads of one process, or of all.
    pub(super) fn new(pid: Option<u32>, wakers: Option<Wakers>) -> OffCpu {
        let (away, leaving) = (HashMap::new(), None);
        OffCpu {
            pid,
            away,
            leaving,
            waking: None,
            wakers,
            preempted: 0,
            gone: 0,
            unended: 0,
            unreadable: 0,
            without_process: 0,
            has_process: false,
        }
    }

    /// Whether a switch with this text starts a wait of a thread that counts.
    pub(super) fn blocks(&self, ids: Ids, text: &[u8]) -> bool {
        Switch::parse(text).is_some_and(|switch| self.left(ids, &switch) == Left::Blocked)
    }

    fn left(&self, ids: Ids, switch: &Switch<'_>) -> Left {
        let is_other = self.pid.is_some() && self.pid != ids.pid;
        match (ids.tid, switch.state) {
            (None | Some(0), _) | (_, b'X' | b'Z') => Left::NotCounted,
            _ if is_other => Left::NotCounted,
            (_, b'R') => Left::Preempted,
            _ => Left::Blocked,
        }
    }

    /// Notes a switch. The thread that comes back is no longer blocked; its waiting time is added
    /// to `tree` in nanoseconds. Returns whether the thread that left is blocked.
    pub(super) fn open(
        &mut self,
        origin: &Sample<'_>,
        tree: &mut StackTree,
        labelled: Option<&mut Labelled>,
    ) -> bool {
        self.leaving = None;
        let switch = Switch::parse(origin.text);
        let (Some(switch), Some(now)) = (switch, origin.time.and_then(Time::nanoseconds)) else {
            self.unreadable += 1;
            return false;
        };
        if let Some(Away { leaf, woken, since, labels }) = self.away.remove(switch.next) {
            let blocked = now.saturating_sub(since);
            let leaf = match &mut self.wakers {
                Some(wakers) => woken.unwrap_or_else(|| wakers.unknown(leaf, blocked, tree)),
                None => leaf,
            };
            tree.add(leaf, blocked);
            if let Some(labelled) = labelled {
                labelled.add(labels, leaf, &OpenSample::of_nanoseconds(blocked));
            }
        }
        let ids = Ids::of(origin);
        self.without_process += u64::from(self.pid.is_some() && ids.pid.is_none());
        self.has_process |= self.pid.is_some() && self.pid == ids.pid;
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

    /// Notes the stack of the thread that left.
    pub(super) fn close(&mut self, leaf: NodeId, labelled: Option<&Labelled>) {
        if let Some((tid, since)) = self.leaving.take() {
            let labels = labelled.map(Labelled::noted).unwrap_or_default();
            self.away.insert(tid, Away { leaf, woken: None, since, labels });
        }
    }

    /// Whether samples of an event are wakings, and the user asked for wakers.
    pub(super) fn is_waking(&self, event: &[u8]) -> bool {
        self.wakers.is_some() && is_waking(event)
    }

    /// Notes a waking. Returns whether it is the first for a blocked thread, so that its stack is
    /// needed.
    pub(super) fn open_waking(
        &mut self,
        origin: &Sample<'_>,
        root: &Root,
        frames: &mut FrameTable,
        text: &mut Vec<u8>,
    ) -> bool {
        self.waking = None;
        let (Some(wakers), Some(tid)) = (&self.wakers, woken(origin.text)) else { return false };
        if self.away.get(tid).is_some_and(|away| away.woken.is_none()) {
            self.waking = Some((tid.to_vec(), wakers.name(origin, root, frames, text)));
        }
        self.waking.is_some()
    }

    /// Notes the stack of the waker, given as the node of its root frames and its leaf. Returns
    /// whether there was a waking.
    pub(super) fn wake(
        &mut self,
        waker: (NodeId, NodeId),
        tree: &mut StackTree,
        frames: &FrameTable,
    ) -> bool {
        let (Some(wakers), Some((tid, name))) = (&self.wakers, self.waking.take()) else {
            return false;
        };
        if let Some(away) = self.away.get_mut(&tid) {
            away.woken = Some(wakers.below(away.leaf, waker, name, tree, frames));
        }
        true
    }

    /// Forgets the threads that left: the next input is a recording of its own.
    pub(crate) fn end_input(&mut self) {
        self.gone += self.away.len();
        self.away.clear();
    }

    /// Reports what is missing in the sums.
    pub(crate) fn report(&self, pipe: &mut Pipe) {
        if let Some(pid) = self.pid.filter(|_| !self.has_process && self.without_process == 0) {
            pipe.note(format_args!("off-cpu: no switch is of process {pid}"));
        }
        if self.without_process > 0 {
            let without = match self.without_process {
                1 => "1 switch does not say of which process it is, and is".to_owned(),
                many => format!("{many} switches do not say of which process they are, and are"),
            };
            pipe.note(format_args!(
                "off-cpu: {without} left out: print the process with 'perf script -F +pid', or \
                 give the perf.data itself"
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
            match count {
                0 => {}
                1 => pipe.note(format_args!("off-cpu: 1 {one} left out")),
                _ => pipe.note(format_args!("off-cpu: {count} {several} left out")),
            }
        }
        if let Some((count @ 1.., weight)) = self.wakers.as_ref().map(|it| it.without) {
            pipe.note(format_args!(
                "off-cpu: {count} waits (weight {weight}) have no known waker: [unknown waker]"
            ));
        }
    }
}

/// The events that are needed; with `wakers` also the wakings.
pub(super) fn events(wakers: bool) -> Events {
    let [waking, wakeup] = WAKINGS;
    let names = [EVENT, waking, wakeup];
    Events::only(if wakers { &names } else { &names[..1] }, remedies::NO_SWITCH)
}

impl Samples<'_> {
    /// Whether the frames of a sample are needed, so that a format can skip them early: with
    /// `--off-cpu` only where a thread blocks, and with `--wakers` also where one is woken.
    #[inline]
    pub(crate) fn needs_frames(&self, event: &[u8], ids: Ids, text: &[u8]) -> bool {
        let Sink::OffCpu(off_cpu) = &self.sink else { return true };
        let blocks = || event == EVENT.as_bytes() && off_cpu.blocks(ids, text);
        off_cpu.is_waking(event) || blocks()
    }

    /// Notes a switch or a waking. Returns whether its stack matters.
    pub(super) fn open_off_cpu(&mut self, origin: &Sample<'_>) -> bool {
        let Samples { sink, tree, frames, labelled, input, text, .. } = self;
        let Sink::OffCpu(off_cpu) = sink else { return false };
        match off_cpu.is_waking(origin.event) {
            true => off_cpu.open_waking(origin, &input.root, frames, text),
            false => off_cpu.open(origin, tree, labelled.as_mut()),
        }
    }

    /// Notes the stack of a switch or a waking, which ends in `leaf`.
    pub(super) fn close_off_cpu(&mut self, sample: &OpenSample, leaf: NodeId) {
        let Samples { sink: Sink::OffCpu(off_cpu), tree, frames, .. } = self else { return };
        if off_cpu.wake((sample.base, leaf), tree, frames) {
            return;
        }
        let event = self.events.get_mut(sample.event).node.unwrap_or_default();
        let leaf = self.some_frame(leaf, event);
        if let Sink::OffCpu(off_cpu) = &mut self.sink {
            off_cpu.close(leaf, self.labelled.as_ref());
        }
    }
}

/// The contents of a switch event.
#[derive(Debug, PartialEq, Eq)]
struct Switch<'a> {
    /// The id of the thread that gets the processor.
    next: &'a [u8],
    /// The state of the thread that leaves: `R` if it could go on, `S` or `D` if it waits, `X` or
    /// `Z` if it has ended.
    state: u8,
}

impl<'a> Switch<'a> {
    /// Parses the text of a `sched:sched_switch` in both forms that recorders print:
    /// `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120`
    /// `a:1 [120] S ==> b:2 [120]`
    fn parse(text: &'a [u8]) -> Option<Switch<'a>> {
        let (left, right) = text.rsplit_once_str("==>")?;
        let (next, state) = match right.rfind("next_pid=") {
            Some(at) => (&right[at + "next_pid=".len()..], left.rsplit_once_str("prev_state=")?.1),
            None => {
                let name = right.rsplit_once_str("[")?.0;
                (name.rsplit_once_str(":")?.1, left.rsplit_once_str("]")?.1)
            }
        };
        let digits = next.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let state = *state.trim_ascii_start().first()?;
        (digits > 0).then_some(Switch { next: &next[..digits], state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_a_switch_are_read() {
        for (text, next, state) in [
            (
                "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b b next_pid=22 next_prio=120",
                "22",
                b'S',
            ),
            (
                "prev_comm=x==> prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=2 next_prio=120",
                "2",
                b'R',
            ),
            ("a:1 [120] S ==> kworker/0:1:33 [120]", "33", b'S'),
            ("a:1 [120] R ==> b:2 [120]", "2", b'R'),
        ] {
            let switch = Switch::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(switch, Switch { next: next.as_bytes(), state }, "{text}");
        }
        assert_eq!(Switch::parse(b"comm=demo pid=17147"), None);
    }
}
