//! Messages on stderr: `tool: where: what`.

use std::fmt::Display;
use std::io::Write;
use std::sync::OnceLock;

use crate::{io::progress::Progress, names::printable};

/// How many lines of a kind are named before they are only counted.
const NAMED: u64 = 3;

/// The name of the tool that runs, for code that has no [`Messages`].
static TOOL: OnceLock<String> = OnceLock::new();

/// Names the tool that runs.
pub(crate) fn set_tool(name: &str) {
    TOOL.get_or_init(|| name.to_owned());
}

/// The tool that runs.
pub(crate) fn tool() -> &'static str {
    TOOL.get().map_or("stack-tools", String::as_str)
}

/// Prints `tool: what` on stderr, as one line.
///
/// Names of files, events and frames may hold anything, such as bytes that
/// retitle a terminal or hide what is written on it: these are escaped.
pub fn print(tool: &str, what: impl Display) {
    let line = format!("{tool}: {}\n", printable(what.to_string().as_bytes()));
    // In one piece, so that what others write there, or a user types, does not come in between. When
    // stderr fails, there is nowhere to say so.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// What a tool says on stderr, and whether the exit status must be 2.
#[derive(Debug)]
pub(crate) struct Messages {
    tool: String,
    progress: Progress,
    named: u64,
    unnamed: u64,
    trouble: bool,
}

impl Messages {
    pub(crate) fn new(tool: &str, progress: Progress) -> Messages {
        Messages { tool: tool.to_owned(), progress, named: 0, unnamed: 0, trouble: false }
    }

    /// Prints a message; the exit status does not change.
    pub(crate) fn note(&self, what: impl Display) {
        self.progress.suspend(|| print(&self.tool, what));
    }

    /// Prints a message; the exit status will be 2.
    pub(crate) fn trouble(&mut self, what: impl Display) {
        self.trouble = true;
        self.note(what);
    }

    /// Counts a line that cannot be read, and names it if it is one of the
    /// first; the exit status will be 2.
    pub(crate) fn malformed(&mut self, input: &str, line: u64, why: impl Display) {
        self.trouble = true;
        self.skipped(input, line, why);
    }

    /// Counts a line that is not understood but may hold nothing of value, and
    /// names it if it is one of the first; the exit status does not change.
    pub(crate) fn skipped(&mut self, input: &str, line: u64, why: impl Display) {
        if self.named < NAMED {
            self.named += 1;
            self.note(format_args!("{input}:{line}: {why}"));
        } else {
            self.unnamed += 1;
        }
    }

    /// Counts lines that are not understood and were not named.
    pub(crate) fn skipped_unnamed(&mut self, lines: u64) {
        self.unnamed += lines;
    }

    /// How many lines could not be read.
    #[must_use]
    pub(crate) fn malformed_lines(&self) -> u64 {
        self.named + self.unnamed
    }

    /// Whether the exit status must be 2.
    #[must_use]
    pub(crate) fn is_trouble(&self) -> bool {
        self.trouble
    }

    /// Prints how many lines were not named.
    pub(crate) fn finish(&self) {
        self.progress.finish();
        if self.unnamed > 0 {
            let lines = if self.unnamed == 1 { "line" } else { "lines" };
            self.note(format_args!("{} more malformed {lines} skipped", self.unnamed));
        }
    }
}
