//! One stage of a pipeline: what every tool reads from and writes to.

use std::fmt::Display;
use std::path::Path;

use crate::folded::{LineEnd, LineEnds, clean_text};
use crate::io::input;
use crate::io::messages::Messages;
use crate::io::progress::Progress;
use crate::stacks::Counting;
use crate::{
    Blocks, Error, Files, FoldedLine, FoldedPair, FrameTable, Headers, Input, Malformed, NodeId,
    Output, Overflows, Result, StackCounts, StackTree, Stats, Status, Total, parse_header, run,
};

/// What a running tool reads from, writes to and says.
#[derive(Debug)]
pub struct Pipe {
    out: Output,
    stats: Stats,
    messages: Messages,
    wants_stats: bool,
    progress: Progress,
    /// The header lines of the inputs that are folded lines.
    headers: Headers,
}

/// A line that is not empty, and where it stands.
struct Line<'a> {
    text: &'a [u8],
    input: &'a str,
    number: u64,
    /// Whether there are control bytes in it.
    has_control: bool,
}

/// Which sums must fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The sum of each stack.
    EachStack,
    /// The sum of all stacks: for a tool that shows how much lies below a frame.
    AllStacks,
}

/// The part of a stack that a message shows.
fn shortened(stack: &[u8]) -> &[u8] {
    &stack[..stack.len().min(200)]
}

impl Line<'_> {
    fn is_comment(&self) -> bool {
        self.text.starts_with(b"# ")
    }

    /// The line without control bytes, if it is a header line.
    fn header(&self) -> Option<Vec<u8>> {
        let mut header = Vec::new();
        clean_text(self.text, &mut header);
        parse_header(&header).is_some().then_some(header)
    }
}

impl Pipe {
    pub(crate) fn new(tool: &str, out: Output, wants_stats: bool) -> Pipe {
        let progress = Progress::new(tool);
        let messages = Messages::new(tool, progress.clone());
        Pipe {
            out,
            stats: Stats::default(),
            messages,
            wants_stats,
            progress,
            headers: Headers::default(),
        }
    }

    /// Where results go: for text that is not a stack.
    pub fn out(&mut self) -> &mut Output {
        &mut self.out
    }

    /// Prints a message on stderr; the exit status does not change.
    pub fn note(&self, what: impl Display) {
        self.messages.note(what);
    }

    /// Prints an error on stderr; the exit status will be 2.
    pub fn error(&mut self, error: &Error) {
        self.messages.error(error);
    }

    /// Counts a line that cannot be read, and names it if it is one of the
    /// first; the exit status will be 2.
    pub fn malformed(&mut self, input: &str, line: u64, why: impl Display) {
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

    /// What came in and went out so far: what `--stats` prints.
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

    /// Counts what was left out, as the user asked.
    pub fn count_dropped(&mut self, what: impl Into<Total>) {
        self.stats.dropped += what.into();
    }

    /// Writes what is still in the buffer, prints the last messages and returns
    /// the exit status of a tool that returned `result`.
    pub(crate) fn finish(mut self, result: Result<Status>) -> u8 {
        // What was read before an error is still written.
        let flushed = self.out.flush();
        let status = result.and_then(|status| flushed.map(|()| status));
        if let Err(error) = &status {
            // The reader has all it wants, as `head` does: this is not an error to
            // the user. Rust ignores SIGPIPE, so it arrives here as one.
            if error.is_closed_pipe() {
                return run::SUCCESS;
            }
            self.messages.error(error);
        }
        self.messages.finish();
        if self.wants_stats {
            let malformed = self.messages.malformed_lines();
            self.note(format_args!("stats: {}, malformed {malformed} lines", self.stats));
        }
        match status {
            _ if self.messages.is_trouble() => run::TROUBLE,
            Ok(Status::Success) => run::SUCCESS,
            _ => run::NOTHING,
        }
    }

    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] with what the system says.
    pub fn open(&self, path: &Path) -> Result<Input> {
        Input::open(path, &self.progress, self.out.regular_file())
            .map_err(|source| Error::Input { name: input::name(path), source })
    }

    /// Opens each file and calls `each` with it. A file that cannot be opened or
    /// read to its end is named, and the next one is read; the exit status will
    /// be 2.
    ///
    /// # Errors
    ///
    /// What `each` returns, but for [`Error::Input`] and [`Error::Unknown`].
    pub fn for_each_input(
        &mut self,
        files: &Files,
        mut each: impl FnMut(&mut Input, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        for path in files.iter() {
            match self.open(path).and_then(|mut input| each(&mut input, self)) {
                Err(error) if error.is_of_input() => self.messages.error(&error),
                other => other?,
            }
        }
        Ok(())
    }

    /// Calls `each` with every folded line; it writes what becomes of the line.
    /// Lines that start with `# ` are written as they are, malformed ones are
    /// named. As in all methods that read lines, spaces take the place of control
    /// bytes.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn filter(
        &mut self,
        files: &Files,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        self.for_each_input(files, |input, pipe| {
            pipe.for_each_line(input, |line, pipe| {
                if line.is_comment() {
                    return pipe.with_clean(&line, line.text, |text, pipe| pipe.out.line(text));
                }
                pipe.folded(&line, &mut each)
            })
        })
    }

    /// Calls `each` with every folded line of one input; header lines are kept for
    /// [`write_header`](Pipe::write_header), other comments are dropped, malformed
    /// lines are named.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], or what `each` returns.
    pub fn read_folded(
        &mut self,
        input: &mut Input,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        let mut header = Vec::new();
        let read = self.for_each_line(input, |line, pipe| {
            if line.is_comment() {
                header.extend(line.header());
                return Ok(());
            }
            pipe.folded(&line, &mut each)
        });
        self.headers.add(header);
        read
    }

    /// Writes the header lines that are the same in all inputs that have any, and
    /// names those that differ.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn write_header(&mut self) -> Result<()> {
        self.headers.differences().iter().for_each(|what| self.note(what));
        let Pipe { headers, out, .. } = self;
        headers.kept().into_iter().try_for_each(|line| out.line(line))
    }

    /// The value that the header lines of all inputs have for a key, such as `unit`.
    #[must_use]
    pub fn header_value(&self, key: &str) -> Option<&[u8]> {
        let mut values = self.headers.kept().into_iter().filter_map(parse_header);
        values.find(|(found, _)| *found == key).map(|(_, value)| value)
    }

    /// Calls `each` with every folded line; malformed ones are named.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn for_each_folded(
        &mut self,
        files: &Files,
        mut each: impl FnMut(FoldedLine<'_>) -> Result<()>,
    ) -> Result<()> {
        self.for_each_input(files, |input, pipe| pipe.read_folded(input, |line, _| each(line)))
    }

    /// Calls `each` with every line that has two counts; others are named.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn for_each_pair(
        &mut self,
        files: &Files,
        mut each: impl FnMut(FoldedPair<'_>) -> Result<()>,
    ) -> Result<()> {
        self.for_each_input(files, |input, pipe| {
            let mut header = Vec::new();
            let read = pipe.for_each_line(input, |line, pipe| match FoldedPair::parse(line.text) {
                _ if line.is_comment() => {
                    header.extend(line.header());
                    Ok(())
                }
                Ok(pair) => {
                    let weight = u128::from(pair.before) + u128::from(pair.after);
                    pipe.stats.read += Total { lines: 1, weight };
                    pipe.with_clean(&line, pair.stack, |stack, _| {
                        each(FoldedPair { stack, ..pair })
                    })
                }
                Err(why) => pipe.malformed_line(&line, why),
            });
            pipe.headers.add(header);
            read
        })
    }

    /// Counts every folded line; malformed ones are named. A second thread
    /// counts while this one reads. What does not fit into a sum is left out
    /// and named, see [`leave_out`](Pipe::leave_out).
    ///
    /// # Errors
    ///
    /// Those of [`for_each_folded`](Pipe::for_each_folded).
    pub fn count_folded(&mut self, files: &Files, limit: Limit) -> Result<StackCounts> {
        let mut counting = Counting::default();
        let (mut all, mut overflows) = (0, Overflows::default());
        self.for_each_folded(files, |line| {
            if limit == Limit::EachStack || overflows.add(&mut all, line.stack, line.count) {
                counting.add(line.stack, line.count);
            }
            Ok(())
        })?;
        let counts = counting.finish();
        overflows.absorb(counts.overflows());
        self.leave_out(&overflows);
        Ok(counts)
    }

    /// Names the stacks whose sums do not fit, and counts the weight that was left
    /// out of them as dropped. If there are any, the exit status will be 2.
    pub fn leave_out(&mut self, overflows: &Overflows) {
        let what =
            |total: Total| format!("a sum over {}, weight {} left out", u64::MAX, total.weight);
        for (stack, total) in overflows.named() {
            self.stats.dropped += total;
            let stack = String::from_utf8_lossy(shortened(stack));
            self.messages.trouble(format_args!("stack '{stack}': {}", what(total)));
        }
        let others = overflows.others();
        if others.lines > 0 {
            self.stats.dropped += others;
            self.messages.trouble(format_args!("other stacks: {}", what(others)));
        }
    }

    #[inline]
    fn folded(
        &mut self,
        line: &Line<'_>,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        match FoldedLine::parse(line.text) {
            Ok(folded) => {
                self.stats.read += folded.count;
                self.with_clean(line, folded.stack, |stack, pipe| {
                    each(FoldedLine { stack, ..folded }, pipe)
                })
            }
            Err(why) => self.malformed_line(line, why),
        }
    }

    /// Calls `each` with `text`, a part of `line`, in which spaces take the place
    /// of control bytes: tabs, escapes that would colour a terminal.
    #[inline]
    fn with_clean(
        &mut self,
        line: &Line<'_>,
        text: &[u8],
        each: impl FnOnce(&[u8], &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        let mut cleaned = Vec::new();
        let text = if line.has_control {
            clean_text(text, &mut cleaned);
            &cleaned
        } else {
            text
        };
        each(text, self)
    }

    #[cold]
    fn malformed_line(&mut self, line: &Line<'_>, why: Malformed) -> Result<()> {
        self.messages.malformed(line.input, line.number, why);
        Ok(())
    }

    fn for_each_line(
        &mut self,
        input: &mut Input,
        mut each: impl FnMut(Line<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        let name = input.name().to_owned();
        let mut number = 0;
        let mut blocks = Blocks::of_lines(input);
        loop {
            let block = blocks
                .next_block()
                .map_err(|source| Error::Input { name: name.clone(), source })?;
            let Some(block) = block else { return Ok(()) };
            let mut start = 0;
            for LineEnd { at: end, has_control } in LineEnds::new(block) {
                number += 1;
                let line = &block[start..end];
                start = end + 1;
                let text = line.strip_suffix(b"\r").unwrap_or(line);
                if !text.is_empty() {
                    each(Line { text, input: &name, number, has_control }, self)?;
                }
            }
        }
    }

    /// Writes a line as it was read.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    #[inline]
    pub fn pass(&mut self, line: &FoldedLine<'_>) -> Result<()> {
        self.write(line.stack, line.count)
    }

    /// Writes a line with `stack` in place of its own stack.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    #[inline]
    pub fn replace(&mut self, line: &FoldedLine<'_>, stack: &[u8]) -> Result<()> {
        if stack != line.stack {
            self.stats.changed += line.count;
        }
        self.write(stack, line.count)
    }

    /// Counts a line that is left out, as the user asked.
    #[inline]
    pub fn drop_line(&mut self, line: &FoldedLine<'_>) {
        self.stats.dropped += line.count;
    }

    /// Writes a stack.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    #[inline]
    pub fn write(&mut self, stack: &[u8], count: u64) -> Result<()> {
        self.stats.written += count;
        self.out.folded(stack, count)
    }

    /// Writes text that ends in LF, and counts its lines as `total`.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn write_lines(&mut self, lines: &[u8], total: Total) -> Result<()> {
        self.stats.written += total;
        self.out.lines(lines)
    }

    /// Writes all stacks below a node of a tree, sorted, and names those that are
    /// not complete.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn write_tree(&mut self, tree: &StackTree, top: NodeId, frames: &FrameTable) -> Result<()> {
        self.leave_out(&tree.overflows(top, frames));
        tree.for_each_sorted(top, frames, |stack, weight| self.write(stack, weight))
    }

    /// Writes all stacks that were counted, sorted.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn write_counts(&mut self, counts: StackCounts) -> Result<()> {
        counts.for_each_sorted(|stack, weight| self.write(stack, weight))
    }

    /// [`Status::Success`] if something was written.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.stats.written.lines > 0 { Status::Success } else { Status::Nothing }
    }
}
