//! Markers that last for some time, such as the collections of garbage: the spans of threads.

use super::Process;
use super::thread::Thread;
use crate::read::spans::{Edge, Spans};
use crate::samples::Samples;

/// The phases of markers that last: both times in one marker, or each in its own.
const INTERVAL: i64 = 1;
const BEGIN: i64 = 2;
const END: i64 = 3;

/// Passes on the markers of all threads that last as spans.
pub(super) fn list_spans(processes: &[Process], samples: &mut Samples<'_>) {
    let mut spans = Spans::default();
    let mut phaseless = 0;
    let all = processes.iter().flat_map(|it| it.threads.iter().map(move |thread| (it, thread)));
    for (number, (process, thread)) in (0..).zip(all) {
        hold(thread, process.start, number, &mut spans);
        let [names, phases] = ["name", "phase"].map(|column| thread.markers.column(column).len());
        phaseless += names.saturating_sub(phases) as u64;
        let tables = process.tables(thread);
        let name = |name: u32| tables.string(usize::try_from(name).ok());
        spans.list(number, |name| name, thread.span(), name, samples);
    }
    spans.report(samples);
    let what = "markers do not say if they last, as of Firefox before 79: they are left out";
    samples.note_count(phaseless, what);
}

/// Holds the markers of a thread; `start` is when its clock was 0.
fn hold(thread: &Thread, start: i64, number: u32, spans: &mut Spans) {
    let columns = ["name", "phase", "startTime", "endTime"];
    let [names, phases, starts, ends] = columns.map(|column| thread.markers.column(column));
    for row in 0..phases.len() {
        let time = |time: Option<i64>| Some(start.saturating_add(time?));
        let (begin, end) = (time(starts.get(row)), time(ends.get(row)));
        let name = names.get(row).and_then(|name| u32::try_from(name).ok());
        let name = name.unwrap_or(Spans::NO_NAME);
        match phases.get(row) {
            Some(INTERVAL) => {
                let length = begin.zip(end).and_then(|(begin, end)| end.checked_sub(begin));
                spans.add(number, begin, name, Edge::Whole(length));
            }
            Some(BEGIN) => spans.add(number, begin, name, Edge::Begin),
            Some(END) => spans.add(number, end, name, Edge::EndOfName),
            _ => {}
        }
    }
}
