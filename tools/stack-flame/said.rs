//! What is said on standard error: by default at most four lines besides the answer.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many lines there are at most, besides the answer.
const MOST: usize = 4;

/// What touches less of the weight, in percent, is only counted.
const LEAST: f64 = 5.0;

static IS_VERBOSE: OnceLock<bool> = OnceLock::new();

/// How many lines were said.
static SAID: AtomicUsize = AtomicUsize::new(0);

/// Whether everything is said.
pub(crate) fn set_verbose(is_verbose: bool) {
    IS_VERBOSE.get_or_init(|| is_verbose);
}

pub(crate) fn is_verbose() -> bool {
    IS_VERBOSE.get().copied().unwrap_or_default()
}

/// Prints a line on stderr.
pub(crate) fn say(what: impl Display) {
    SAID.fetch_add(1, Ordering::Relaxed);
    common::io::say(env!("CARGO_BIN_NAME"), what);
}

/// Prints a line about what went as it should, if everything is said.
pub(crate) fn explain(what: impl Display) {
    if is_verbose() {
        say(what);
    }
}

/// What the other tools said: kept until they have ended, and then the first few of what matters
/// most.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    notes: RefCell<Vec<Note>>,
    /// A file of which the user has not heard.
    unheard: RefCell<Option<String>>,
}

/// A line of a tool.
#[derive(Clone, Debug, PartialEq)]
struct Note {
    /// `stack-parse: perf.data: 7 samples or other records, 2.0 % of all, were lost …`
    line: String,
    /// Whether its tool had trouble.
    is_trouble: bool,
}

/// What comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Why there is no answer, or not all of it.
    Trouble,
    /// Samples that nobody sees.
    Lost,
    /// What touches much of the weight.
    Much,
    Others,
    Little,
}

impl Notes {
    /// Leaves out the name of this file, of which the user has not heard.
    pub(crate) fn leave_out(&self, file: &Path) {
        self.unheard.replace(Some(format!("{}: ", file.display())));
    }

    /// Adds what a tool wrote to stderr.
    pub(crate) fn add(&self, text: &[u8], is_trouble: bool) {
        let text = String::from_utf8_lossy(text);
        let unheard = self.unheard.borrow();
        let line = |line: &str| match &*unheard {
            Some(file) => line.replacen(file, "", 1),
            None => line.to_owned(),
        };
        let lines = text.lines().map(|text| Note { line: line(text), is_trouble });
        self.notes.borrow_mut().extend(lines);
    }

    /// Says those that matter most, and how many others there are; `more` lines follow.
    pub(crate) fn tell(&self, more: usize) {
        let room = MOST.saturating_sub(SAID.load(Ordering::Relaxed) + more);
        for line in chosen(&self.notes.take(), room) {
            SAID.fetch_add(1, Ordering::Relaxed);
            // When stderr fails, there is nowhere to say so.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
}

/// The lines that matter, as far as there is room, at least one if there are any; then how many
/// there are besides.
fn chosen(notes: &[Note], room: usize) -> Vec<String> {
    let mut ranked: Vec<&Note> = notes.iter().collect();
    ranked.dedup_by(|a, b| a.line == b.line);
    // Stable: tools say first what they know first.
    ranked.sort_by_key(|note| note.key());
    let matters = ranked.iter().filter(|note| note.key().0 != Rank::Little).count();
    let room = room.max(1);
    let is_all = matters == ranked.len() && matters <= room;
    let shown = if is_all || matters < room { matters } else { (room - 1).max(1) };
    let mut lines: Vec<String> = ranked[..shown].iter().map(|it| of_here(&it.line)).collect();
    if shown < ranked.len() && shown < room {
        let notes = common::numbers::counted((ranked.len() - shown) as u64, "notes");
        lines.push(format!("{}: {notes} more: --verbose", env!("CARGO_BIN_NAME")));
    }
    lines
}

impl Note {
    fn key(&self) -> (Rank, Reverse<u64>) {
        let share = share(&self.line);
        let rank = match share {
            _ if self.is_trouble => Rank::Trouble,
            _ if self.line.contains("lost while recording") => Rank::Lost,
            Some(share) if share < LEAST => Rank::Little,
            Some(_) => Rank::Much,
            None => Rank::Others,
        };
        (rank, Reverse((share.unwrap_or_default() * 10.0) as u64))
    }
}

/// The first share in a line, in percent: 5.9 of `no symbols for 5.9 % of all frames`.
fn share(line: &str) -> Option<f64> {
    let before = line.split(" %").next().filter(|before| before.len() < line.len())?;
    before.rsplit(' ').next()?.parse().ok()
}

/// What the other tools advise, and what does the same here.
const ADVICE: [(&str, &str); 8] = [
    (", or put recursion together with 'stack-fold-towers --reattach', as stack-flame does", ""),
    ("record with 'perf record -g --switch-events'", "record with 'stack-flame --latency'"),
    (
        "record with 'perf record -a -g -e sched:sched_switch,sched:sched_waking'",
        "record with 'stack-flame --off-cpu --wakers'",
    ),
    (
        "record with 'perf record -a -g -e sched:sched_switch'",
        "record with 'stack-flame --off-cpu'",
    ),
    ("use a lower 'perf record -F'", "use a lower -F"),
    ("use a larger 'perf record -m'", "use --perf-args '-m 64M', as root"),
    ("and with a larger -m if events are then lost", "and fewer events if some are then lost"),
    ("with --proc-map-timeout 5000", "with --perf-args '--proc-map-timeout 5000'"),
];

/// A line with the advice for a user of stack-flame.
fn of_here(line: &str) -> String {
    ADVICE.iter().fold(line.to_owned(), |line, (there, here)| line.replace(there, here))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(lines: &[&str]) -> Vec<Note> {
        lines.iter().map(|line| Note { line: (*line).to_owned(), is_trouble: false }).collect()
    }

    #[test]
    fn what_touches_most_comes_first_and_the_rest_is_counted() {
        let mut all = notes(&[
            "stack-parse: x: names are of another kernel",
            "stack-parse: /lib/a.so: no symbols for 2.0 % of all frames",
            "stack-parse: /lib/b.so: no symbols for 41.3 % of all frames",
            "stack-parse: x: 9 samples or other records, 7.0 % of all, were lost while recording: \
             use a lower 'perf record -F'",
            "stack-parse: x: 8.5 % of the weight is in stacks cut at 127 frames",
        ]);
        let [other, much, lost, cut] = [0, 2, 3, 4].map(|at| all[at].line.clone());
        let lost = lost.replace("'perf record -F'", "-F");
        let more = "stack-flame: 2 notes more: --verbose".to_owned();
        assert_eq!(chosen(&all, 4), [&lost, &much, &cut, &more].map(String::clone));
        let one_more = "stack-flame: 1 note more: --verbose".to_owned();
        assert_eq!(chosen(&all, 9), [&lost, &much, &cut, &other, &one_more].map(String::clone));
        assert_eq!(chosen(&all, 0), std::slice::from_ref(&lost));
        assert_eq!(chosen(&all[..2], 4), [other.clone(), one_more.clone()]);
        assert_eq!(chosen(&all[..1], 4), [other]);
        // Little things are only counted, but a loss is always said.
        assert_eq!(chosen(&all[1..2], 4), [one_more]);
        let few = notes(&["stack-parse: x: 1 samples, 0.1 % of all, were lost while recording"]);
        assert_eq!(chosen(&few, 4), [few[0].line.clone()]);
        all[1].is_trouble = true;
        assert_eq!(chosen(&all, 2)[0], all[1].line);
        assert!(chosen(&[], 4).is_empty());
    }

    #[test]
    fn advice_is_replaced_that_others_give() {
        let others = [
            include_str!("../stack-parse/formats/perf_data/messages.rs"),
            include_str!("../stack-parse/formats/perf_data/stacks.rs"),
            include_str!("../stack-parse/formats/perf_data/lacking.rs"),
            include_str!("../stack-parse/remedies.rs"),
            include_str!("../stack-parse/read/perf_health.rs"),
        ];
        for (there, here) in ADVICE {
            assert!(others.iter().any(|text| text.contains(there)), "{there}");
            assert_eq!(of_here(&format!("a: {there}")), format!("a: {here}"));
        }
    }
}
