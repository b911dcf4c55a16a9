//! Which label says when samples were taken, and which lines lack it.

use common::{
    Error, folded::FoldedLine, io::Total, names::printable, numbers::nanoseconds_of_label,
    pipe::Pipe,
};

use crate::labelled::LabelSet;

/// The label that places samples in time: `since`, or `time` if no line has `since`.
#[derive(Default)]
pub(crate) struct Clock {
    has_since: bool,
    /// The least value of the label `time`.
    first: Option<u64>,
    /// The lines that lack the label `since`, and those that lack `time`.
    without_since: Total,
    without_time: Total,
    /// The lines with a value of such a label that is not a time, and the first such label.
    refused: Total,
    first_refused: String,
}

impl Clock {
    /// Looks at the times of a line, and counts it unless it is of another event than the user
    /// wants.
    pub(crate) fn read(&mut self, line: &FoldedLine<'_>, event: Option<&str>) {
        let is_other = |wanted: &str| {
            line.labels.get(b"event").is_some_and(|event| event != wanted.as_bytes())
        };
        let (since, since_is_refused) = time_of(line, "since");
        let (time, time_is_refused) = time_of(line, "time");
        self.has_since |= since.is_some();
        self.first = self.first.into_iter().chain(time).min();
        if line.count == 0 || event.is_some_and(is_other) {
            return;
        }
        if since_is_refused || time_is_refused {
            let key = if since_is_refused { "since" } else { "time" };
            if self.refused.lines == 0 {
                let value = line.labels.get(key.as_bytes()).unwrap_or_default();
                self.first_refused = format!("{key}={}", printable(value));
            }
            self.refused += line.count;
        }
        if since.is_none() && !since_is_refused {
            self.without_since += line.count;
        }
        if time.is_none() && !time_is_refused {
            self.without_time += line.count;
        }
    }

    /// When a sample with these labels was taken, in nanoseconds.
    pub(crate) fn at(&self, labels: &LabelSet<'_>) -> Option<u64> {
        if self.has_since {
            return labels.nanoseconds("since");
        }
        labels.nanoseconds("time")?.checked_sub(self.first?)
    }

    /// Reports the lines that have no place in time. If there are values that are not times, the
    /// exit status will be 2.
    pub(crate) fn report(&self, pipe: &mut Pipe) {
        if self.refused.lines > 0 {
            let (lines, have) = lines(self.refused);
            pipe.error(&Error::Usage(format!(
                "{lines} {have} a time that is not a number, the first {}: expected seconds such as \
                 since=2.5",
                self.first_refused
            )));
        }
        let (key, without) = match (self.has_since, self.first) {
            (true, _) => ("since", self.without_since),
            (false, Some(_)) => ("time", self.without_time),
            (false, None) => return,
        };
        if without.lines > 0 {
            let (lines, have) = lines(without);
            pipe.note(format_args!("{lines} {have} no label {key}, and no place in time"));
        }
    }
}

/// The time of a label, and whether its value is not a time. An empty value counts as no label.
fn time_of(line: &FoldedLine<'_>, key: &str) -> (Option<u64>, bool) {
    let value = line.labels.get(key.as_bytes()).filter(|value| !value.is_empty());
    let time = value.and_then(nanoseconds_of_label);
    (time, value.is_some() && time.is_none())
}

/// `3 lines of weight 7`, and its verb.
fn lines(Total { lines, weight }: Total) -> (String, &'static str) {
    match lines {
        1 => (format!("1 line of weight {weight}"), "has"),
        lines => (format!("{lines} lines of weight {weight}"), "have"),
    }
}
