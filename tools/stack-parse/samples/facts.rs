//! What is known of an input besides its samples: header lines say it.

use std::collections::HashSet;

use common::folded::{Part, header_line};
use common::numbers::{counted, grouped};

use super::sample::Sample;
use super::weight::Weighs;

/// What a format knows of its input, or its samples show. What is unknown is `None` and has no
/// header line. Messages are made from the same numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(super) lost: Lost,
    /// How many stacks end where the copy of the stack ended, and how many were copied.
    pub(crate) truncated: Option<[u64; 2]>,
    /// How many stacks end where a caller is not known, and how many were copied.
    pub(crate) broken: Option<[u64; 2]>,
    /// How many frames of all have no name.
    pub(crate) nameless: Option<[u64; 2]>,
    /// How much of all weight has a stack that is an estimate.
    estimated: Option<[u64; 2]>,
    /// The recorded program.
    pub(crate) program: Option<Vec<u8>>,
    /// How long was recorded, in nanoseconds, if the input says so.
    pub(crate) length: Option<u64>,
    /// The clock of the times, by its name in clock_gettime(2) in lower case.
    pub(crate) clock: Option<&'static str>,
    /// How many processors the recorded machine had.
    pub(crate) processors: Option<u32>,
    /// How many samples were to be taken each second; `Some(None)` if some had another rate, or
    /// none.
    rate: Option<Option<u64>>,
    times: Option<[u64; 2]>,
    threads: Threads,
    marked: Marked,
}

/// How many samples were lost while recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lost {
    /// Nobody said whether there were any.
    #[default]
    Unsaid,
    Known(u64),
    /// Some were, and nobody knows how many.
    Unknown,
}

impl Lost {
    /// Adds what one more part of the input says: how many were lost, if it knows.
    pub(super) fn add(&mut self, more: Option<u64>) {
        *self = match (*self, more) {
            (Lost::Unknown, _) | (_, None) => Lost::Unknown,
            (Lost::Unsaid, Some(more)) => Lost::Known(more),
            (Lost::Known(before), Some(more)) => Lost::Known(before.saturating_add(more)),
        };
    }
}

/// Why the callers of a stack are missing, if its writer says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The writer left them out.
    Truncated,
    /// The writer could not find them.
    Broken,
}

impl End {
    /// The frame in place of the missing callers.
    pub(crate) fn frame(self) -> &'static [u8] {
        match self {
            End::Truncated => b"[truncated]",
            End::Broken => b"[broken]",
        }
    }
}

/// Stacks whose writer marks those without their callers.
#[derive(Clone, Copy, Debug, Default)]
struct Marked {
    all: u64,
    truncated: u64,
    broken: u64,
}

/// The threads that have samples.
#[derive(Clone, Debug, Default)]
struct Threads {
    /// The ids of their process and their own, with a TAB between them.
    ids: HashSet<Vec<u8>>,
    last: Vec<u8>,
    /// Whether some sample does not name its thread.
    is_unknown: bool,
}

/// What became of the samples of an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts<'a> {
    pub(super) taken: u64,
    /// How many samples the recorder took for those that are taken: a format may have one for
    /// many. `None` if that is unknown.
    pub(super) drawn: Option<u64>,
    /// Whether samples were left out, as the user asked.
    pub(super) is_part: bool,
    /// Whether times were left out.
    pub(super) is_slice: bool,
    pub(super) weighs: Weighs,
    /// The unit of the weights.
    pub(super) unit: &'a [u8],
}

impl Facts {
    /// Adds a part of the input: how much of its weight has a stack that is an estimate.
    pub(crate) fn add_estimated(&mut self, part: [u64; 2]) {
        let sum = self.estimated.get_or_insert_default();
        sum.iter_mut().zip(part).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }

    /// Declares that the ids of this input are not those of threads.
    pub(crate) fn set_threadless(&mut self) {
        self.threads.is_unknown = true;
    }

    /// Notes how many samples a second were to be taken when a sample was taken.
    pub(crate) fn note_rate(&mut self, hertz: Option<u64>) {
        if *self.rate.get_or_insert(hertz) != hertz {
            self.rate = Some(None);
        }
    }

    /// Notes that a sample was to be taken each time so many nanoseconds had passed.
    pub(crate) fn note_interval(&mut self, nanoseconds: u64) {
        let hertz = 1_000_000_000_u64.checked_div(nanoseconds);
        self.note_rate(hertz.filter(|hertz| hertz * nanoseconds == 1_000_000_000));
    }

    /// Counts a stack whose writer would have marked this end.
    pub(crate) fn note_stack(&mut self, end: Option<End>) {
        self.marked.all += 1;
        match end {
            Some(End::Truncated) => self.marked.truncated += 1,
            Some(End::Broken) => self.marked.broken += 1,
            None => {}
        }
    }

    /// Some writers do not mark every such stack: where none is marked, there may be some.
    fn marked(&self, stacks: u64) -> Option<[u64; 2]> {
        (stacks > 0).then_some([stacks, self.marked.all])
    }

    /// Notes when a sample was taken, or when recording began or ended.
    pub(crate) fn note_time(&mut self, time: Option<u64>) {
        let Some(time) = time else { return };
        let [first, last] = self.times.get_or_insert([time; 2]);
        (*first, *last) = (time.min(*first), time.max(*last));
    }

    /// Notes the thread of a sample that is taken.
    pub(super) fn note_thread(&mut self, origin: &Sample<'_>) {
        let Threads { ids, last, is_unknown } = &mut self.threads;
        let Some(tid) = origin.tid else {
            *is_unknown = true;
            return;
        };
        let pid = origin.pid.unwrap_or_default();
        let is_last = last.strip_prefix(pid).and_then(|rest| rest.strip_prefix(b"\t")) == Some(tid);
        if !is_last {
            last.clear();
            [pid, b"\t", tid].iter().for_each(|part| last.extend_from_slice(part));
            if !ids.contains(last) {
                ids.insert(last.clone());
            }
        }
    }

    /// Adds what another thread saw of the same input.
    pub(super) fn absorb(&mut self, other: Facts) {
        other.times.into_iter().flatten().for_each(|time| self.note_time(Some(time)));
        self.threads.ids.extend(other.threads.ids);
        self.threads.is_unknown |= other.threads.is_unknown;
    }

    /// The header lines.
    pub(super) fn lines(&self, counts: &Counts<'_>) -> Vec<Vec<u8>> {
        let truncated = self.truncated.or(self.marked(self.marked.truncated));
        let broken = self.broken.or(self.marked(self.marked.broken));
        let values = [
            ("lost", self.lost_of(counts)),
            ("truncated", part_of(truncated, b"samples", counts)),
            ("broken", part_of(broken, b"samples", counts)),
            ("nameless", part_of(self.nameless, b"frames", counts)),
            ("estimated", self.estimated_of(counts)),
            ("program", self.program.clone()),
            ("seconds", self.seconds(counts).map(String::into_bytes)),
            ("threads", self.threads.count().map(|it| counted(it, "threads").into_bytes())),
            ("processors", self.processors.map(|it| counted(it.into(), "processors").into_bytes())),
            ("rate", self.rate.flatten().map(|it| format!("{} Hz", grouped(it)).into_bytes())),
        ];
        let lines = values.into_iter().filter_map(|(key, value)| Some(header_line(key, &value?)));
        self.clock_line().into_iter().chain(lines).collect()
    }

    /// The line with the clock, which is known before the samples.
    pub(super) fn clock_line(&self) -> Option<Vec<u8>> {
        self.clock.map(|clock| header_line("clock", clock.as_bytes()))
    }

    /// The kernel does not say of which event and time the samples are that it lost. If none is
    /// lost, none of a part is.
    fn lost_of(&self, counts: &Counts<'_>) -> Option<Vec<u8>> {
        let Lost::Known(lost) = self.lost else { return None };
        let drawn = counts.drawn.filter(|_| lost == 0 || !counts.is_part)?;
        Some(Part::new(lost, drawn.saturating_add(lost), b"samples").text())
    }

    /// Samples with a period are written as they were recorded, with no estimate.
    fn estimated_of(&self, counts: &Counts<'_>) -> Option<Vec<u8>> {
        let of_recorder = (counts.weighs == Weighs::Period).then_some([0, counts.taken]);
        // Without a sample there is no unit.
        let of_graph = self.estimated.filter(|_| !counts.unit.is_empty());
        match (of_graph, of_recorder) {
            (Some([estimated, all]), _) => Some(Part::new(estimated, all, counts.unit).text()),
            (None, Some([none, all])) => Some(Part::new(none, all, b"samples").text()),
            (None, None) => None,
        }
    }

    /// `9.57 s`; `None` for a slice of the time, as that may be shorter than was asked for.
    fn seconds(&self, counts: &Counts<'_>) -> Option<String> {
        let of_samples = self.times.map(|[first, last]| last - first);
        let length = self.length.or(of_samples).filter(|length| *length > 0 && !counts.is_slice)?;
        let seconds = length as f64 / 1e9;
        let zeros = if seconds >= 1.0 { 0.0 } else { -seconds.log10().floor() - 1.0 };
        Some(format!("{seconds:.*} s", 2 + zeros as usize + usize::from(seconds < 1.0)))
    }
}

impl Threads {
    fn count(&self) -> Option<u64> {
        (!self.is_unknown && !self.ids.is_empty()).then_some(self.ids.len() as u64)
    }
}

/// `48 of 900 samples`; `None` if it is not known for each sample, and some were left out.
fn part_of(part: Option<[u64; 2]>, unit: &[u8], counts: &Counts<'_>) -> Option<Vec<u8>> {
    let [part, all] = part.filter(|_| !counts.is_part)?;
    Some(Part::new(part, all, unit).text())
}

#[cfg(test)]
mod tests {
    use bstr::ByteSlice;

    use super::*;

    const WHOLE: Counts<'_> = Counts {
        taken: 888,
        drawn: Some(888),
        is_part: false,
        is_slice: false,
        weighs: Weighs::Value,
        unit: b"ns",
    };

    fn lines(facts: &Facts, counts: &Counts<'_>) -> Vec<String> {
        facts.lines(counts).iter().map(|line| line.as_bstr().to_string()).collect()
    }

    fn sample<'a>(pid: &'a str, tid: Option<&'a str>) -> Sample<'a> {
        let (pid, tid) = (Some(pid.as_bytes()), tid.map(str::as_bytes));
        Sample { pid, tid, ..Sample::default() }
    }

    #[test]
    fn what_is_unknown_has_no_line() {
        assert!(lines(&Facts::default(), &WHOLE).is_empty());
    }

    #[test]
    fn zero_is_known() {
        let (lost, truncated, nameless) = (Lost::Known(0), Some([0, 888]), Some([0, 8100]));
        let facts = Facts { lost, truncated, nameless, ..Facts::default() };
        let lost = "# lost: 0 of 888 samples";
        let all = [lost, "# truncated: 0 of 888 samples", "# nameless: 0 of 8,100 frames"];
        assert_eq!(lines(&facts, &WHOLE), all);
        assert_eq!(lines(&facts, &Counts { is_part: true, ..WHOLE }), [lost]);
        let unknown = lines(&facts, &Counts { drawn: None, ..WHOLE });
        assert!(!unknown.contains(&lost.to_owned()), "of how many is unknown");
    }

    #[test]
    fn what_is_unknown_stays_unknown() {
        let mut lost = Lost::default();
        for (more, expected) in
            [(Some(2), Lost::Known(2)), (Some(3), Lost::Known(5)), (None, Lost::Unknown)]
        {
            lost.add(more);
            assert_eq!(lost, expected);
        }
        lost.add(Some(1));
        assert_eq!(lost, Lost::Unknown);
    }

    #[test]
    fn stacks_that_are_marked_are_counted_and_none_is_not_known_to_be_whole() {
        let mut facts = Facts::default();
        facts.note_stack(None);
        assert!(lines(&facts, &WHOLE).is_empty());
        facts.note_stack(Some(End::Broken));
        assert_eq!(lines(&facts, &WHOLE), ["# broken: 1 of 2 samples"]);
        facts.note_stack(Some(End::Truncated));
        let all = ["# truncated: 1 of 3 samples", "# broken: 1 of 3 samples"];
        assert_eq!(lines(&facts, &WHOLE), all);
        assert!(lines(&facts, &Counts { is_part: true, ..WHOLE }).is_empty());
    }

    #[test]
    fn a_part_does_not_have_what_the_whole_has() {
        let facts = Facts { lost: Lost::Known(12), nameless: Some([30, 8100]), ..Facts::default() };
        let all = ["# lost: 12 of 900 samples", "# nameless: 30 of 8,100 frames"];
        assert_eq!(lines(&facts, &WHOLE), all);
        assert!(lines(&facts, &Counts { is_part: true, ..WHOLE }).is_empty());
    }

    #[test]
    fn a_recorder_makes_no_estimate_and_a_graph_of_calls_says_how_much() {
        let (facts, recorder) = (Facts::default(), Counts { weighs: Weighs::Period, ..WHOLE });
        assert_eq!(lines(&facts, &recorder), ["# estimated: 0 of 888 samples"]);
        let mut facts = Facts::default();
        [[2500, 9000], [0, 1000]].into_iter().for_each(|part| facts.add_estimated(part));
        assert_eq!(lines(&facts, &WHOLE), ["# estimated: 2,500 of 10,000 ns"]);
    }

    #[test]
    fn times_are_those_of_the_first_and_the_last_sample_unless_the_input_says_more() {
        let mut facts = Facts::default();
        for time in [Some(3_000_000_000), Some(1_000_000_000), None, Some(10_567_000_000)] {
            facts.note_time(time);
        }
        assert_eq!(lines(&facts, &WHOLE), ["# seconds: 9.57 s"]);
        assert!(lines(&facts, &Counts { is_slice: true, ..WHOLE }).is_empty());
        for (length, line) in [
            (20_000_000_000, "# seconds: 20.00 s"),
            (12_345_678, "# seconds: 0.0123 s"),
            (100_000_000, "# seconds: 0.100 s"),
        ] {
            facts.length = Some(length);
            assert_eq!(lines(&facts, &WHOLE), [line]);
        }
    }

    #[test]
    fn threads_are_counted_if_each_sample_names_one() {
        let mut facts = Facts::default();
        for (pid, tid) in [("1", "7"), ("1", "7"), ("1", "8"), ("2", "7"), ("1", "7")] {
            facts.note_thread(&sample(pid, Some(tid)));
        }
        let mut other = Facts::default();
        other.note_thread(&sample("1", Some("9")));
        facts.absorb(other);
        assert_eq!(lines(&facts, &WHOLE), ["# threads: 4 threads"]);
        let mut unknown = facts.clone();
        unknown.note_thread(&sample("1", None));
        assert!(lines(&unknown, &WHOLE).is_empty());
        facts.set_threadless();
        assert!(lines(&facts, &WHOLE).is_empty());
    }

    #[test]
    fn the_rate_is_that_of_all_samples() {
        let mut facts = Facts { program: Some(b"app 7".to_vec()), ..Facts::default() };
        facts.processors = Some(2);
        facts.note_rate(Some(4000));
        facts.note_rate(Some(4000));
        let known = ["# program: app 7 (program)", "# processors: 2 processors"];
        assert_eq!(lines(&facts, &WHOLE), [&known[..], &["# rate: 4,000 Hz"]].concat());
        facts.note_rate(None);
        assert_eq!(lines(&facts, &WHOLE), known);
    }
}
