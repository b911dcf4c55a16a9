//! Messages on stderr: `tool: where: what`.

use std::fmt::Display;
use std::io::Write;

use crate::Error;
use crate::io::progress::Progress;

/// How many lines of a kind are named before they are only counted.
const NAMED: u64 = 3;

/// What a tool has to say on stderr, and whether it was trouble.
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

    /// Says something that is no trouble.
    pub(crate) fn note(&self, what: impl Display) {
        self.progress.suspend(|| {
            // Nobody is left to tell when stderr itself fails.
            let _ = writeln!(std::io::stderr(), "{}: {what}", self.tool);
        });
    }

    /// Says what went wrong; the exit status will be 2.
    pub(crate) fn error(&mut self, error: &Error) {
        self.trouble = true;
        self.note(error);
    }

    /// Counts a line that cannot be read, and names it if it is one of the
    /// first; the exit status will be 2.
    pub(crate) fn malformed(&mut self, input: &str, line: u64, why: impl Display) {
        self.trouble = true;
        self.skipped(input, line, why);
    }

    /// Counts a line that is not understood but may be no loss, and names it
    /// if it is one of the first; no trouble.
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

    /// True if and only if the exit status must be 2.
    #[must_use]
    pub(crate) fn is_trouble(&self) -> bool {
        self.trouble
    }

    /// Says how many lines were not named.
    pub(crate) fn finish(&self) {
        self.progress.finish();
        if self.unnamed > 0 {
            let lines = if self.unnamed == 1 { "line" } else { "lines" };
            self.note(format_args!("{} more malformed {lines} skipped", self.unnamed));
        }
    }
}
