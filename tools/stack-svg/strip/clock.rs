//! Notes which stacks ran when while lines are read.
//!
//! ```text
//! since=12.304122000<TAB>tid=4711<TAB>main;parse;read 14
//! ```

use common::folded::{FoldedLine, Frames, is_slice};
use common::heat::{Cells, label_value, row_name, shows_comm};
use common::pipe::{Pipe, Split};
use common::stacks::{FrameId, FrameTable};
use common::{io::Total, names::FrameParts, numbers::nanoseconds};

use crate::escape::shown;

/// How many steps of time a picture has at most.
const MOST_STEPS: u64 = 2_000;

/// The most weights by stack, lane and time that are kept in memory.
const MOST_CELLS: usize = 7_000_000;

/// The label that says when a line's samples were taken, in seconds.
const SINCE: &[u8] = b"since";

/// What weights are summed by, besides time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// A number of [`Clock::stacks`], and one of [`Clock::values`].
    pub(crate) stack: FrameId,
    pub(crate) value: FrameId,
}

/// What a line of a flame chart says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    /// In nanoseconds since the first sample.
    pub(crate) time: u64,
    pub(crate) key: Key,
    pub(crate) weight: u64,
    /// Whether it lasts as many nanoseconds as it weighs.
    pub(crate) is_slice: bool,
}

/// What ran when, of the lines that were read.
pub(crate) struct Clock {
    /// What each lane is a value of.
    pub(crate) by: Split,
    pub(crate) cells: Cells<Key>,
    /// The stacks as folded text.
    pub(crate) stacks: FrameTable,
    /// The values, see [`Clock::add`].
    pub(crate) values: FrameTable,
    /// The last name of each value's thread.
    comms: FrameTable,
    comm_of: Vec<Option<FrameId>>,
    /// The lines without a time.
    pub(crate) untimed: Total,
    /// Each line with a time, for a flame chart.
    pub(crate) lines: Option<Vec<Timed>>,
}

impl Clock {
    /// A lane is a value of `split`, or else a thread; for a flame chart, each line is kept.
    pub(crate) fn new(split: Option<&Split>, is_chart: bool) -> Clock {
        Clock {
            by: split.cloned().unwrap_or_else(|| Split::Label("tid".to_owned())),
            cells: Cells::new(1, None, MOST_STEPS).with_at_most(MOST_CELLS),
            stacks: FrameTable::default(),
            values: FrameTable::default(),
            comms: FrameTable::default(),
            comm_of: Vec::new(),
            untimed: Total::default(),
            lines: is_chart.then(Vec::new),
        }
    }

    /// Whether any line has a time.
    pub(crate) fn is_running(&self) -> bool {
        self.cells.total() > 0
    }

    /// Notes a line. Its value starts with `=` for the value of a label, `-` for a missing label,
    /// or `/` for a root frame.
    pub(crate) fn add(&mut self, line: &FoldedLine<'_>) {
        if line.count == 0 {
            return;
        }
        let Some(time) = line.labels.get(SINCE).and_then(time) else {
            self.untimed += line.count;
            return;
        };
        let value = match &self.by {
            Split::Label(key) => match line.labels.get(key.as_bytes()) {
                Some(value) => self.values.intern(&[b"=", value].concat()),
                None => self.values.intern(b"-"),
            },
            Split::Root | Split::File => {
                let root = Frames::new(line.stack).next().unwrap_or_default();
                self.values.intern(&[b"/", FrameParts::of(root).name].concat())
            }
        };
        self.note_comm(value, line);
        let key = Key { stack: self.stacks.intern(line.stack), value };
        // What does not fit into the sum of all weights is missing in the profile, too.
        let is_slice = is_slice(line);
        let added = match is_slice {
            true => self.cells.add_slice(key, time, line.count),
            false => self.cells.add(key, time, line.count),
        };
        if let Some(lines) = self.lines.as_mut().filter(|_| added.is_ok()) {
            lines.push(Timed { time, key, weight: line.count, is_slice });
        }
    }

    fn note_comm(&mut self, value: FrameId, line: &FoldedLine<'_>) {
        if !shows_comm(self.by.key()) {
            return;
        }
        if let Some(comm) = line.labels.get(b"comm") {
            let comm = self.comms.intern(comm);
            self.comm_of.resize(self.comm_of.len().max(value as usize + 1), None);
            self.comm_of[value as usize] = Some(comm);
        }
    }

    /// The name of a lane.
    pub(crate) fn name(&self, value: FrameId) -> String {
        let comm = self.comm_of.get(value as usize).copied().flatten();
        let comm = comm.map(|comm| self.comms.name(comm));
        match self.values.name(value) {
            [b'=', value @ ..] => row_name(label_value(Some(value)), comm, self.by.key()),
            [b'/', root @ ..] => shown(root),
            // If no line has the label, the only lane is all that ran.
            _ if self.values.len() == 1 => "all".to_owned(),
            _ => row_name(label_value(None), None, self.by.key()),
        }
    }

    /// Notes which lines the strip lacks.
    pub(crate) fn report(&self, pipe: &Pipe) {
        let Total { lines, weight } = self.untimed;
        if lines == 0 || !self.is_running() {
            return;
        }
        let (lines, have) = match lines {
            1 => ("1 line".to_owned(), "has"),
            many => (format!("{many} lines"), "have"),
        };
        pipe.note(format_args!(
            "{lines} of weight {weight} {have} no time, and the strip of time lacks them"
        ));
    }
}

/// A time in nanoseconds, rounded down, as `stack-grep --label 'since>=12.5'` compares it. A time
/// before the first sample counts as 0.
fn time(value: &[u8]) -> Option<u64> {
    let number = value.split(|&byte| byte == b' ').next()?;
    match number {
        [b'-', size @ ..] => positive(size).map(|_| 0),
        [b'+', size @ ..] => positive(size),
        _ => positive(number),
    }
}

/// The nanoseconds of a decimal number, which may start or end with its point, as `.5` and `5.`.
fn positive(number: &[u8]) -> Option<u64> {
    match number.split(|&byte| byte == b'.').collect::<Vec<_>>()[..] {
        [whole] => nanoseconds(whole),
        [b"", b""] => None,
        [whole, b""] => nanoseconds(whole),
        [whole, fraction] if fraction.iter().all(u8::is_ascii_digit) => match whole {
            b"" => nanoseconds(&[b"0", number].concat()),
            _ => nanoseconds(number),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_that_a_filter_compares() {
        for (value, expected) in [
            ("12.5", Some(12_500_000_000)),
            ("0.0000000019", Some(1)),
            ("-0.5", Some(0)),
            ("+2", Some(2_000_000_000)),
            ("3 s", Some(3_000_000_000)),
            (".5", Some(500_000_000)),
            ("5.", Some(5_000_000_000)),
            ("-.5", Some(0)),
            ("1.0000000001x", None),
            ("1.2.3", None),
            (".", None),
            ("1e-06", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(time(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn lanes_are_threads_or_what_profiles_are_split_by() {
        let names = |split: Option<&str>, lines: &[&str]| {
            let split = split.map(|split| split.parse().expect("a key"));
            let mut clock = Clock::new(split.as_ref(), false);
            for line in lines {
                clock.add(&FoldedLine::parse(line.as_bytes()).expect("a line"));
            }
            let values = 0..clock.values.len() as FrameId;
            (values.map(|value| clock.name(value)).collect::<Vec<_>>(), clock.untimed.weight)
        };
        let lines = ["since=1\ttid=7\tcomm=a\tmain;f 1", "since=2\tmain_[l];g 1", "main 5"];
        assert_eq!(names(None, &lines), (vec!["a 7".to_owned(), "[no tid]".to_owned()], 5));
        assert_eq!(names(Some("comm"), &lines).0, ["a", "[no comm]"]);
        assert_eq!(names(Some("root"), &lines).0, ["main"]);
        assert_eq!(names(None, &lines[1..]).0, ["all"]);
    }
}
