//! What the scheduler does, in the words of perf's tracepoints, which `--wall` and `--off-cpu` read.

use std::collections::{HashMap, HashSet};

use super::line::{Line, Task};
use crate::samples::{Samples, ThreadNews, Turn};

/// The events of switches and wakings.
pub(super) const SWITCH: &[u8] = b"sched:sched_switch";
pub(super) const WAKING: &[u8] = b"sched:sched_waking";
pub(super) const WAKING_NEW: &[u8] = b"sched:sched_wakeup_new";

/// The threads that were seen so far.
#[derive(Default)]
pub(super) struct Scheduler {
    /// Whether the user of wprof chose these threads. Where only some were chosen, a switch between
    /// two threads is in the file if one of them was.
    is_chosen: HashMap<Vec<u8>, bool>,
    /// Whether only some threads were chosen.
    is_filtered: bool,
    known: HashSet<u32>,
    /// How many switches are away from threads that were not chosen.
    pub(super) of_others: u64,
}

impl Scheduler {
    /// Notes an event of a thread, which was chosen then.
    pub(super) fn note(&mut self, task: &Task, samples: &mut Samples<'_>) {
        if !matches!(self.is_chosen.get(&task.tid), Some(true)) {
            self.is_chosen.insert(task.tid.clone(), true);
        }
        self.meet(task, samples);
    }

    /// Notes a thread: one that nothing is known of existed before the recording began.
    fn meet(&mut self, task: &Task, samples: &mut Samples<'_>) {
        let Some(tid) = task.thread() else { return };
        if self.known.insert(tid) {
            samples.existed(task.process().unwrap_or_default(), tid, &task.comm);
        }
    }

    /// Notes who wakes whom.
    pub(super) fn begin_waking(&mut self, line: &Line, samples: &mut Samples<'_>) {
        self.note(&line.task, samples);
        if !self.is_filtered {
            self.meet(&line.other, samples);
        }
    }

    /// Notes who gets a processor in a switch. Returns whether the thread that leaves it was chosen.
    pub(super) fn begin_switch(&mut self, line: &Line, samples: &mut Samples<'_>) -> bool {
        // wprof says how long it was away of those that were chosen.
        if line.has_absence {
            self.note(&line.other, samples);
        } else {
            self.is_filtered |= !line.other.is_idle();
            self.is_chosen.insert(line.other.tid.clone(), false);
        }
        let is_chosen = match self.is_chosen.get(&line.task.tid) {
            _ if !line.has_absence => true,
            Some(is_chosen) => *is_chosen,
            None => !self.is_filtered,
        };
        if is_chosen {
            self.note(&line.task, samples);
        }
        self.of_others += u64::from(!is_chosen);
        is_chosen
    }

    /// Passes on who woke the thread that gets a processor, and, if it was not chosen who leaves, that
    /// it does.
    pub(super) fn next(line: &Line, time: u64, is_back: bool, samples: &mut Samples<'_>) {
        let Some(tid) = line.other.thread().filter(|_| line.has_absence) else { return };
        let (pid, comm) = (line.other.process(), &line.other.comm[..]);
        let news = |turn| ThreadNews { pid, tid, comm, time, turn };
        if let Some(at) = line.waking_time.filter(|_| line.waking_reason != b"preempted") {
            let name =
                samples.frame(if line.waker.is_idle() { b"[idle]" } else { &line.waker.comm });
            let by = line.waker.thread().unwrap_or_default();
            samples.note_thread(&news(Turn::Woken { at, by, name }));
        }
        if is_back {
            samples.note_thread(&news(Turn::Back));
        }
    }

    /// Notes that a thread makes another, ends, or gets a name.
    pub(super) fn live(&mut self, line: &Line, time: u64, samples: &mut Samples<'_>) {
        let (task, turn) = match &line.kind[..] {
            b"fork" => {
                let Some(by) = line.task.thread() else { return };
                if self.is_filtered && line.task.pid != line.other.pid {
                    // It may not be chosen.
                    return;
                }
                (&line.other, Turn::Made { by })
            }
            b"task_exit" => (&line.task, Turn::Ended),
            b"task_rename" => (&line.task, Turn::Named),
            _ => return,
        };
        let Some(tid) = task.thread() else { return };
        if let Turn::Made { .. } = turn {
            self.known.insert(tid);
        }
        let (pid, comm) = (task.process(), &task.comm[..]);
        samples.note_thread(&ThreadNews { pid, tid, comm, time, turn });
    }
}

/// The text of `sched:sched_switch`.
pub(super) fn switch_text(line: &Line, text: &mut Vec<u8>) {
    let Line { task, other, priorities: [before, after], state, .. } = line;
    let parts: [&[u8]; 14] = [
        b"prev_comm=",
        &task.comm,
        b" prev_pid=",
        &task.tid,
        b" prev_prio=",
        before,
        b" prev_state=",
        state_letter(state),
        b" ==> next_comm=",
        &other.comm,
        b" next_pid=",
        &other.tid,
        b" next_prio=",
        after,
    ];
    parts.iter().for_each(|part| text.extend_from_slice(part));
}

/// The text of `sched:sched_waking`.
pub(super) fn waking_text(line: &Line, text: &mut Vec<u8>) {
    let parts: [&[u8]; 4] = [b"comm=", &line.other.comm, b" pid=", &line.other.tid];
    parts.iter().for_each(|part| text.extend_from_slice(part));
}

/// The letter of a state.
fn state_letter(state: &[u8]) -> &'static [u8] {
    match state {
        b"runnable" | b"preempted" | b"new" => b"R",
        b"uninterruptible_sleep" | b"killable_sleep" | b"rtlock_wait" => b"D",
        b"stopped" => b"T",
        b"traced" => b"t",
        b"exit_dead" | b"exit_trace" | b"task_dead" => b"X",
        b"exit_zombie" => b"Z",
        b"parked" => b"P",
        b"idle" => b"I",
        // Those that sleep until something happens, and those that are not known.
        _ => b"S",
    }
}
