//! One stage of a pipeline: what every tool reads from and writes to.

use std::fmt::Display;
use std::path::Path;

use memchr::memchr_iter;

use crate::io::input;
use crate::io::messages::Messages;
use crate::io::progress::Progress;
use crate::stacks::Counting;
use crate::{
    Blocks, Error, Files, FoldedLine, FoldedPair, FrameTable, Headers, Input, Malformed, NodeId,
    Output, Result, StackCounts, StackTree, Stats, Status, Total, parse_header, run,
};

/// What a running tool reads from, writes to and says.
#[derive(Debug)]
pub struct Pipe {
    out: Output,
    stats: Stats,
    messages: Messages,
    wants_stats: bool,
    progress: Progress,
    /// What inputs of folded lines say of themselves.
    headers: Headers,
}

/// A line that is not empty, and where it stands.
struct Line<'a> {
    text: &'a [u8],
    input: &'a str,
    number: u64,
}

impl Line<'_> {
    fn is_comment(&self) -> bool {
        self.text.starts_with(b"# ")
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

    /// Writes what is still held back; the exit status if the rest of the run
    /// gave `result`.
    pub(crate) fn finish(mut self, result: Result<Status>) -> u8 {
        // What was understood before the trouble is still written.
        let flushed = self.out.flush();
        let status = result.and_then(|status| flushed.map(|()| status));
        if let Err(error) = &status {
            // The reader has what it wanted, as `head` does: no trouble.
            // Rust ignores SIGPIPE, so it arrives here as an error.
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
        Input::open(path, &self.progress)
            .map_err(|source| Error::Input { name: input::name(path), source })
    }

    /// Opens each file and hands it on. A file that cannot be opened or read
    /// to its end is named, and the next one is read; the exit status will
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

    /// Hands every folded line to `each`, which writes what becomes of it;
    /// lines that start with `# ` are passed on, malformed ones are named.
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
                    return pipe.out.line(line.text);
                }
                pipe.folded(&line, &mut each)
            })
        })
    }

    /// Hands every folded line of one input to `each`; header lines are kept for
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
                header.extend(parse_header(line.text).map(|_| line.text.to_vec()));
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

    /// What the header lines of all inputs say of one key, such as `unit`.
    #[must_use]
    pub fn header_value(&self, key: &str) -> Option<&[u8]> {
        let mut values = self.headers.kept().into_iter().filter_map(parse_header);
        values.find(|(found, _)| *found == key).map(|(_, value)| value)
    }

    /// Hands every folded line to `each`; malformed ones are named.
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

    /// Hands every line with two counts to `each`; malformed ones are named.
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
                    header.extend(parse_header(line.text).map(|_| line.text.to_vec()));
                    Ok(())
                }
                Ok(pair) => {
                    let weight = u128::from(pair.before) + u128::from(pair.after);
                    pipe.stats.read += Total { lines: 1, weight };
                    each(pair)
                }
                Err(why) => pipe.malformed_line(&line, why),
            });
            pipe.headers.add(header);
            read
        })
    }

    /// Counts every folded line; malformed ones are named. A second thread
    /// counts while this one reads.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] when a sum does not fit.
    pub fn count_folded(&mut self, files: &Files) -> Result<StackCounts> {
        let mut counting = Counting::default();
        self.for_each_folded(files, |line| counting.add(line.stack, line.count))?;
        counting.finish()
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
                each(folded, self)
            }
            Err(why) => self.malformed_line(line, why),
        }
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
            let torn = (!block.ends_with(b"\n")).then_some(block.len());
            for end in memchr_iter(b'\n', block).chain(torn) {
                number += 1;
                let line = &block[start..end];
                start = end + 1;
                let text = line.strip_suffix(b"\r").unwrap_or(line);
                if !text.is_empty() {
                    each(Line { text, input: &name, number }, self)?;
                }
            }
        }
    }

    /// Writes a line as it came.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    #[inline]
    pub fn pass(&mut self, line: &FoldedLine<'_>) -> Result<()> {
        self.write(line.stack, line.count)
    }

    /// Writes `stack` in place of the line's own.
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

    /// Leaves a line out, as the user asked.
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

    /// Writes lines that are already text, and counts them as `total`.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn write_lines(&mut self, lines: &[u8], total: Total) -> Result<()> {
        self.stats.written += total;
        self.out.lines(lines)
    }

    /// Writes all stacks below a node of a tree, sorted.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] with what the system says.
    pub fn write_tree(&mut self, tree: &StackTree, top: NodeId, frames: &FrameTable) -> Result<()> {
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

    /// Success if and only if something was written.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.stats.written.lines > 0 { Status::Success } else { Status::Nothing }
    }
}
