//! One stage of a pipeline: what every tool reads from and writes to.

mod foreign;
mod header;
mod held;
mod kinds;
mod line;
mod lines;
mod open;
mod search;
mod sequence;
mod split;
mod sums;
mod write;

use std::fmt::Display;

use crate::io::{Output, Stats, Total};
use crate::status::{SUCCESS, TROUBLE};
use crate::{
    Error, Result, Status, folded::Headers, io::messages::Messages, io::progress::Progress,
};
use foreign::Start;

pub use foreign::what_file_is;
pub use held::HeldLines;
pub use kinds::{KindsOfFrames, SeenFrames};
pub use lines::{Comments, Lines, Live};
pub use sequence::SequenceEvent;
pub use split::{Split, no_label, root_of_file};
pub use sums::Limit;

/// What a running tool reads from, writes to and prints messages with.
#[derive(Debug)]
pub struct Pipe {
    out: Output,
    stats: Stats,
    /// The lines so far that have a count and no frames.
    without_frames: Total,
    messages: Messages,
    wants_stats: bool,
    progress: Progress,
    /// The header lines of the inputs that are folded lines.
    headers: Headers,
    /// The start of the input that is being read; `None` once it was said what that input is.
    start: Option<Start>,
    /// Of how many inputs it was said what they are.
    described: u8,
    /// Whether a line that was read has labels.
    has_labels: bool,
}

impl Pipe {
    /// A pipe of the tool with this name, which its messages start with. [`crate::run`] makes the
    /// one that a tool gets.
    #[must_use]
    pub fn new(tool: &str, out: Output, wants_stats: bool) -> Pipe {
        let progress = Progress::new(tool);
        let messages = Messages::new(tool, progress.clone());
        Pipe {
            out,
            stats: Stats::default(),
            without_frames: Total::default(),
            messages,
            wants_stats,
            progress,
            headers: Headers::default(),
            start: None,
            described: 0,
            has_labels: false,
        }
    }

    /// Where results go: for text that is not a stack.
    pub fn out(&mut self) -> &mut Output {
        &mut self.out
    }

    /// Also shows on a terminal how much was read of a pipe. Unless a tool asks
    /// for this, only the progress of files is shown: in a pipeline each tool
    /// would write over the others.
    pub fn show_progress_of_pipes(&mut self) {
        self.progress.counts_pipes = true;
    }

    /// Prints a message on stderr; the exit status does not change.
    pub fn note(&self, what: impl Display) {
        self.messages.note(what);
    }

    /// Prints an error on stderr; the exit status will be 2.
    pub fn error(&mut self, error: &Error) {
        self.messages.trouble(error);
    }

    /// Counts a line that cannot be read, and names it if it is one of the
    /// first; the exit status will be 2.
    #[cold]
    pub fn malformed(&mut self, input: &str, line: u64, why: impl Display) {
        self.describe_bad_input(input, false);
        self.messages.malformed(input, line, why);
    }

    /// Counts a line that is not understood but may hold nothing of value, and
    /// names it if it is one of the first; the exit status does not change.
    pub fn skipped(&mut self, input: &str, line: u64, why: impl Display) {
        self.messages.skipped(input, line, why);
    }

    /// Counts lines that are not understood and were not named.
    pub fn skipped_unnamed(&mut self, lines: u64) {
        self.messages.skipped_unnamed(lines);
    }

    /// What came in and went out so far: the numbers that `--stats` prints.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Whether the user asked for `--stats`; [`crate::run`] prints the line
    /// that all tools have in common.
    #[must_use]
    pub fn wants_stats(&self) -> bool {
        self.wants_stats
    }

    /// Counts what was read: a line of this weight, or a [`Total`]. The
    /// methods of `Pipe` that read folded lines do so themselves.
    pub fn count_read(&mut self, what: impl Into<Total>) {
        self.stats.read += what.into();
    }

    /// Counts what was written by other means than the methods of `Pipe` that
    /// write stacks.
    pub fn count_written(&mut self, what: impl Into<Total>) {
        self.stats.written += what.into();
    }

    /// Counts what was written with another stack than it was read with, by other means than the
    /// methods of `Pipe` that write stacks.
    pub fn count_changed(&mut self, what: impl Into<Total>) {
        self.stats.changed += what.into();
    }

    /// Counts what was left out, as the user asked.
    pub fn count_dropped(&mut self, what: impl Into<Total>) {
        self.stats.dropped += what.into();
    }

    /// Counts a line that has a count and no frames: at the end, a message says how many there
    /// were.
    pub fn count_without_frames(&mut self, line: impl Into<Total>) {
        self.without_frames += line.into();
    }

    /// Writes what is still in the buffer, prints the last messages and returns
    /// the exit status of a tool that returned `result`.
    pub(crate) fn finish(mut self, result: Result<Status>) -> u8 {
        // What was read before an error is still written.
        let flushed = self.out.flush();
        let status = result.and_then(|status| flushed.map(|()| status));
        if let Err(error) = &status {
            // The reader of our output has all it wants, as `head` does: this is not an error to
            // the user. Rust ignores SIGPIPE, so a closed pipe is an error here.
            if error.is_closed_pipe() {
                return SUCCESS;
            }
            self.messages.trouble(error);
        }
        self.say_without_frames();
        self.messages.finish();
        if self.wants_stats {
            let malformed = self.messages.malformed_lines();
            self.note(format_args!("stats: {}, malformed {malformed} lines", self.stats));
        }
        status.map_or(TROUBLE, |status| status.code(self.messages.is_trouble()))
    }

    fn say_without_frames(&self) {
        let Total { lines, weight } = self.without_frames;
        let (lines, counts) = match lines {
            0 => return,
            1 => ("1 line".to_owned(), "counts"),
            many => (format!("{many} lines"), "count"),
        };
        self.note(format_args!(
            "{lines} without frames, of weight {weight}, {counts} as the stack [no stack]"
        ));
    }
}
