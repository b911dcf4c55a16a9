//! Why there is no picture.

use std::fmt::Display;

use crate::record::SIGNALLED;
use crate::said::say;

/// The exit status of env(1) and its like: our own trouble.
pub(crate) const OURS: u8 = 125;

/// A program was found but cannot be run.
const NOT_RUNNABLE: u8 = 126;

/// There is no such program.
const NOT_FOUND: u8 = 127;

/// What is said, and the exit status.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    lines: Vec<String>,
}

impl Failure {
    /// Trouble of this tool, of what records or one of the tools that draw.
    pub(crate) fn ours(line: impl Into<String>) -> Failure {
        Failure { status: OURS, lines: vec![line.into()] }
    }

    /// Where `file` cannot be read or written: what the system says.
    pub(crate) fn of_file(file: impl Display, source: std::io::Error) -> Failure {
        Failure::ours(common::Error::Input { name: file.to_string(), source }.to_string())
    }

    /// Where a signal came before the program ran.
    pub(crate) fn of_signal((number, name): (u8, String)) -> Failure {
        let line = format!("ended by signal {number} ({name}), nothing was recorded");
        Failure { status: SIGNALLED.saturating_add(number), ..Failure::ours(line) }
    }

    pub(crate) fn not_runnable(line: impl Into<String>) -> Failure {
        Failure { status: NOT_RUNNABLE, ..Failure::ours(line) }
    }

    pub(crate) fn not_found(line: impl Into<String>) -> Failure {
        Failure { status: NOT_FOUND, ..Failure::ours(line) }
    }

    /// This failure with one more line.
    pub(crate) fn and(mut self, line: impl Into<String>) -> Failure {
        self.lines.push(line.into());
        self
    }

    /// How many lines it has.
    pub(crate) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Prints the lines and returns the exit status.
    pub(crate) fn tell(&self) -> u8 {
        self.lines.iter().for_each(say);
        self.status
    }
}
