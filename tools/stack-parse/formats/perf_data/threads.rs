//! What becomes of threads between samples.

use stack_perf_data::{Processes, Record, SwitchKind};
use symbolize::ObjectId;

use crate::samples::{ThreadNews, Turn};

/// What a record says of a thread, and when it was written, in nanoseconds; that is `None` where perf
/// itself wrote it when recording began.
pub(super) fn news<'a>(
    record: &Record<'a>,
    processes: &'a mut Processes<ObjectId>,
) -> Option<(Option<u64>, ThreadNews<'a>)> {
    let (pid, tid, time, turn) = match *record {
        Record::Switch { pid, tid, time, kind } => {
            let turn = match kind {
                SwitchKind::In => Turn::Back,
                SwitchKind::Out => Turn::Left,
                SwitchKind::Preempted => Turn::Preempted,
            };
            (pid, tid, Some(time), turn)
        }
        Record::Comm { pid, tid, time, .. } => (pid, tid, time, Turn::Named),
        Record::Fork { pid, tid, parent_tid, time, .. } => {
            (pid, tid, time, Turn::Made { by: parent_tid })
        }
        Record::Exit { pid, tid, time } => (pid, tid, time, Turn::Ended),
        _ => return None,
    };
    let comm = match *record {
        Record::Comm { name, .. } => name,
        // It is called as the one that made it.
        Record::Fork { parent_tid, .. } => processes.name(parent_tid),
        _ => processes.name(tid),
    };
    Some((time, ThreadNews { pid: Some(pid), tid, comm, time: time.unwrap_or_default(), turn }))
}

/// The name of a clock in the header, by its number in clock_gettime(2).
pub(super) fn clock_name(clock: i32) -> Option<&'static str> {
    match clock {
        0 => Some("realtime"),
        1 => Some("monotonic"),
        4 => Some("monotonic_raw"),
        7 => Some("boottime"),
        11 => Some("tai"),
        _ => None,
    }
}
