//! What is printed at the end: the own functions with the most weight, and what they call.

use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};

use bstr::ByteSlice;
use common::folded::{FoldedLine, parse_header};
use common::io::Screen;
use common::names::{CodeKind, FrameParts, bare_name, fitted, printable_name};
use common::numbers::{decimal, share};
use common::own_code::{Charged, Deepest, NOT_OWN, OwnCode, Room};
use common::stacks::StackCounts;
use console::truncate_str;

/// What the stacks are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Samples,
    /// How long threads waited.
    Waits,
    /// What threads did all the time.
    Threads,
    /// The critical path.
    Path,
    /// All of it, on one page.
    Brief,
}

/// How many functions are named.
const FUNCTIONS: usize = 3;

/// What has a smaller part of the weight than one in this many is not named.
const LEAST_PART: u64 = 50;

/// The most letters of a function.
const LETTERS: usize = 60;

/// On a terminal, a line must fit.
const LETTERS_ON_TERMINAL: usize = 36;
const ROOM_ON_TERMINAL: Room = Room { named: 1, letters: 24 };

/// What is said of folded stacks.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// The heaviest own functions.
    pub(crate) lines: Vec<String>,
    /// What else to ask, or to do, for a better answer.
    pub(crate) hints: Vec<String>,
}

impl Answer {
    /// Of the critical path, of which this answer is so far: the function with most of it, and what
    /// would gain most, from the table that `stack-critical --gains --tsv` prints. What waits for a
    /// disk has much of the path, and computes little that could be faster.
    pub(crate) fn with_gains(mut self, table: &[u8]) -> Answer {
        let shown = |row: &[u8]| {
            let fields: Vec<&[u8]> = row.split(|byte| *byte == b'\t').collect();
            let [name, sooner, _, _, elapsed] = fields[..] else { return None };
            let [sooner, elapsed] = [sooner, elapsed].map(decimal);
            let (sooner, elapsed) = (sooner.filter(|it| *it > 0)?, elapsed?);
            let name = fitted(bare_name(&printable_name(name)), LETTERS);
            Some(format!("{} sooner if {name} were twice as fast", share(sooner, elapsed)))
        };
        let rows = ByteSlice::lines(table).skip(1).filter_map(shown);
        self.lines.truncate(1);
        self.lines.extend(rows.take(FUNCTIONS - 1));
        self
    }

    /// Of folded stacks.
    pub(crate) fn of(stacks: impl Read, of: Of) -> io::Result<Answer> {
        let (mut counts, mut all, mut facts) = (StackCounts::default(), 0u64, Facts::default());
        for line in BufReader::new(stacks).split(b'\n') {
            let line = line?;
            facts.add(&line);
            let Ok(line) = FoldedLine::parse(&line) else { continue };
            // What does not fit is left out of the shares as well.
            if let Some(sum) = all.checked_add(line.count) {
                all = sum;
                counts.add(line.stack, line.count);
            }
        }
        let name = |frame: &[u8]| FrameParts::of(frame).name.to_vec();
        let stacks = counts.into_sorted();
        let own = OwnCode::of(&stacks, &Deepest::of(&stacks), name);
        let hints = if of == Of::Samples { facts.hints(&own) } else { Vec::new() };
        Ok(Answer { lines: of_rows(&own, all, of), hints })
    }
}

/// What header lines say of the recording.
#[derive(Debug, Default)]
struct Facts {
    is_of_perf: bool,
    is_of_switches: bool,
    /// Whether one program alone was recorded.
    is_of_program: bool,
    /// How many samples there are, how many were taken in a second of each processor, and how many
    /// seconds passed.
    samples: Option<f64>,
    rate: Option<f64>,
    seconds: Option<f64>,
}

/// Less of the time is hardly worth a word.
const LEAST_SECONDS: f64 = 0.1;

impl Facts {
    /// `# rate: 999 Hz`
    fn add(&mut self, line: &[u8]) {
        let Some((key, value)) = parse_header(line) else { return };
        let number = || {
            let digits = value.split(|byte| *byte == b' ').next()?.replace(",", "");
            digits.to_str().ok()?.parse().ok()
        };
        match key {
            "source" => self.is_of_perf = value == b"perf-data",
            "event" => self.is_of_switches = value.starts_with(b"sched:sched_switch"),
            "program" => self.is_of_program = true,
            "samples" => self.samples = number(),
            "rate" => self.rate = number(),
            "seconds" => self.seconds = number(),
            _ => {}
        }
    }

    fn hints(&self, own: &OwnCode) -> Vec<String> {
        if self.is_of_switches {
            let hint = "switches of threads were recorded: --off-cpu draws how long they waited";
            return vec![hint.to_owned()];
        }
        let is_own = own.kind == CodeKind::Own && own.rows.keys().any(|name| name != NOT_OWN);
        let has_lines = own.rows.values().any(|charged| !charged.lines.is_empty());
        let without_lines = (self.is_of_perf && is_own && !has_lines).then(|| {
            "no line is known: compile with -g, for Rust with CARGO_PROFILE_RELEASE_DEBUG=1, and \
             inlined functions have names, too"
                .to_owned()
        });
        without_lines.into_iter().chain(self.waits()).collect()
    }

    /// How little of the time a program ran, if it mostly waited.
    fn waits(&self) -> Option<String> {
        let (samples, rate, seconds) = (self.samples?, self.rate?, self.seconds?);
        let ran = samples / rate;
        let is_much = self.is_of_program && seconds - ran > LEAST_SECONDS && ran < seconds / 2.0;
        is_much.then(|| {
            format!(
                "it ran for {ran:.2} s of {seconds:.2} s: as root, --brief shows what it waits for"
            )
        })
    }
}

fn of_rows(own: &OwnCode, all: u64, of: Of) -> Vec<String> {
    let (letters, room) = match io::stdout().is_terminal() {
        true => (LETTERS_ON_TERMINAL, ROOM_ON_TERMINAL),
        false => (LETTERS, Room::default()),
    };
    let shown = |name: &[u8]| fitted(bare_name(&printable_name(name)), letters);
    // What the runtime and the kernel do is no answer below any library.
    if own.kind == CodeKind::Library {
        return vec!["no function is known to be own code: --own PATTERN says what is".to_owned()];
    }
    let mut rows: Vec<(&Vec<u8>, &Charged)> = own.rows.iter().collect();
    rows.sort_unstable_by(|(a, one), (b, other)| other.weight.cmp(&one.weight).then(a.cmp(b)));
    let is_named = |(_, it): &(&Vec<u8>, &Charged)| it.weight >= all.div_ceil(LEAST_PART).max(1);
    let rows = rows.into_iter().filter(is_named).take(FUNCTIONS);
    rows.map(|(name, charged)| {
        let weight = share(charged.weight, all);
        let where_it_is = match name == NOT_OWN {
            true => format!("{weight} in stacks without own code"),
            false if of == Of::Path => format!("{weight} of the critical path in {}", shown(name)),
            false => format!("{weight} in {}", shown(name)),
        };
        match charged.lines_and_calls(all, room) {
            details if details.is_empty() => where_it_is,
            details => format!("{where_it_is}: {details}"),
        }
    })
    .collect()
}

/// Prints lines of the answer: on standard output where that is a terminal, else on standard error,
/// since standard output is the program's.
pub(crate) fn print(lines: &[String]) {
    let screen = Screen::of_stdout();
    for line in lines {
        if io::stdout().is_terminal() {
            let line = truncate_str(line, screen.columns.unwrap_or(usize::MAX), "\u{2026}");
            // A terminal that is gone needs no answer.
            let _ = writeln!(io::stdout(), "{line}");
        } else {
            common::io::say(env!("CARGO_BIN_NAME"), line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(stacks: &str) -> Answer {
        Answer::of(stacks.as_bytes(), Of::Samples).expect("text")
    }

    #[test]
    fn own_functions_are_named_with_their_lines_and_what_they_call() {
        let stacks = "# unit: samples\n\
             main (a.c:9)_[o];append(Event const&) (src/a.c:2)_[o]_[i];fdatasync_[l] 60\n\
             main (a.c:9)_[o];append(Event const&) (src/a.c:3)_[o]_[i];write_[l];vfs_write_[k] 15\n\
             start_thread_[l];futex_[k] 20\n\
             main (a.c:9)_[o] 4\n\
             main (a.c:9)_[o];rare (a.c:7)_[o] 1\n";
        let expected = [
            "75.00% in append: a.c:2 (60.00%), :3 (15.00%), calls fdatasync (60.00%), write (15.00%)",
            "20.00% in stacks without own code",
            "4.00% in main: a.c:9 (4.00%)",
        ];
        assert_eq!(answer(stacks).lines, expected);
        assert_eq!(answer(""), Answer::default());
        let of_library = answer("java;std::sort 3\n").lines;
        assert_eq!(of_library, ["no function is known to be own code: --own PATTERN says what is"]);
    }

    #[test]
    fn what_to_ask_next_is_seen_from_the_header() {
        let of_perf = "# source: perf-data\n# program: app\n# rate: 999 Hz\n";
        for (header, stack, expected) in [
            ("# samples: 1,998 samples\n# seconds: 3.9 s\n", "main (a.c:1)_[o] 9", ""),
            (
                "# samples: 1,998 samples\n# seconds: 4.1 s\n",
                "main (a.c:1)_[o] 9",
                "2.00 s of 4.10 s",
            ),
            ("", "main_[o];read_[l] 9", "compile with -g"),
            ("", "java;read_[l] 9", ""),
            ("# event: sched:sched_switch\n", "main (a.c:1)_[o] 9", "--off-cpu draws how long"),
        ] {
            let stacks = format!("{of_perf}{header}{stack}\n");
            let hints = answer(&stacks).hints.join("\n");
            assert!(hints.contains(expected) && hints.is_empty() == expected.is_empty(), "{hints}");
            let of_waits = Answer::of(stacks.as_bytes(), Of::Waits).expect("text");
            assert!(of_waits.hints.is_empty());
        }
    }
}
