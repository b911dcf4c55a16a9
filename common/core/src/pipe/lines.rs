//! The one reader of lines, and its policies.

use std::ops::ControlFlow;

use super::line::Line;
use super::split::Roots;
use crate::folded::{FoldedLine, FoldedPair, Headers, is_about_all_stacks, is_end_line};
use crate::folded::{lacks_frames, parse_header};
use crate::io::line_ends::{LineEnd, LineEnds};
use crate::io::{Blocks, Files, Input, Total, without_cr};
use crate::pipe::{Pipe, Split};
use crate::{Error, Result};

/// What becomes of lines that start with `# `.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comments {
    /// Header lines are kept for [`Pipe::write_header`] and [`Pipe::header_value`]; other comments
    /// are dropped.
    #[default]
    Keep,
    /// All are written as they come. One that ends an interval flushes the output.
    Pass,
    /// All are written but header lines about all stacks: for a tool that writes only a part of the
    /// lines.
    PassOfPart,
    /// All are written but those that end an interval: for a tool that writes its stacks after it
    /// has read all of them, so that the ends would come before all stacks.
    PassWithoutEnds,
}

/// What comes in while a profile is still being recorded.
#[derive(Clone, Copy, Debug)]
pub enum Live<'a> {
    /// A folded line.
    Stack(FoldedLine<'a>),
    /// An interval is over.
    End,
}

/// Reads the lines of files or of one input. Its policies come first, then one of the methods that
/// read.
///
/// All of these name malformed lines and count what was read. Control bytes in a stack become
/// spaces.
///
/// ```no_run
/// # use common::{Result, Status, io::Files, pipe::{Comments, Pipe}};
/// # fn example(files: &Files, pipe: &mut Pipe) -> Result<Status> {
/// // A filter that leaves out stacks without a weight:
/// pipe.lines(files).comments(Comments::Pass).each(|line, pipe| {
///     if line.count > 0 {
///         return pipe.pass(&line);
///     }
///     pipe.drop_line(&line);
///     Ok(())
/// })?;
/// # Ok(pipe.status())
/// # }
/// ```
#[must_use = "nothing is read without a method such as `each`"]
pub struct Lines<'a> {
    pub(super) pipe: &'a mut Pipe,
    pub(super) source: Source<'a>,
    pub(super) comments: Comments,
    pub(super) split: Option<&'a Split>,
    pub(super) tells_headers: bool,
}

/// Where the lines come from.
pub(super) enum Source<'a> {
    Files(&'a Files),
    Input(&'a mut Input),
}

impl Pipe {
    /// The reader of all lines of these files. A file that cannot be read is named, and the next
    /// one is read; the exit status will be 2.
    pub fn lines<'a>(&'a mut self, files: &'a Files) -> Lines<'a> {
        Lines::new(self, Source::Files(files))
    }

    /// The reader of all lines of one input. An error of the input is returned.
    pub fn lines_of<'a>(&'a mut self, input: &'a mut Input) -> Lines<'a> {
        Lines::new(self, Source::Input(input))
    }

    /// How many samples the input has that was read last, if its header lines say so.
    pub(crate) fn samples_of_last_input(&self) -> Option<u64> {
        self.headers.samples_of_last()
    }
}

impl<'a> Lines<'a> {
    fn new(pipe: &'a mut Pipe, source: Source<'a>) -> Lines<'a> {
        Lines { pipe, source, comments: Comments::default(), split: None, tells_headers: false }
    }

    /// Sets what becomes of comments, which are kept otherwise.
    pub fn comments(self, comments: Comments) -> Lines<'a> {
        Lines { comments, ..self }
    }

    /// Lets the pipe know the header lines before the first line that follows them, whatever becomes
    /// of comments.
    pub fn telling_headers(self) -> Lines<'a> {
        Lines { tells_headers: true, ..self }
    }

    /// Puts the value of `split` above each stack as its root, if there is one that is not the root
    /// already.
    pub fn split(self, split: Option<&'a Split>) -> Lines<'a> {
        Lines { split, ..self }
    }

    /// Calls `each` with every folded line.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn each(self, mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<()>) -> Result<()> {
        self.each_until(|line, pipe| each(line, pipe).map(ControlFlow::Continue))
    }

    /// Calls `each` with every folded line of an input, until it has enough of this input.
    pub(super) fn each_until(
        self,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let tells_headers = self.tells_headers;
        self.each_input(|input, reading, pipe| {
            each_line(input, pipe, |line, pipe| {
                if tells_headers && !line.is_comment() {
                    reading.tell_header(pipe);
                }
                reading.folded(&line, pipe, &mut each)
            })
        })
    }

    /// Calls `each` with every folded line, and at every line that ends an interval. Header lines
    /// are known from the first of these calls on.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn live(self, mut each: impl FnMut(Live<'_>, &mut Pipe) -> Result<()>) -> Result<()> {
        let mut each =
            |live: Live<'_>, pipe: &mut Pipe| each(live, pipe).map(ControlFlow::Continue);
        self.each_input(|input, reading, pipe| {
            each_line(input, pipe, |line, pipe| {
                let is_end = is_end_line(line.text);
                if is_end || !line.is_comment() {
                    reading.tell_header(pipe);
                }
                match is_end {
                    true => each(Live::End, pipe),
                    false => {
                        reading.folded(&line, pipe, |line, pipe| each(Live::Stack(line), pipe))
                    }
                }
            })
        })
    }

    /// Calls `each` with every line that has two counts.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn pairs(self, mut each: impl FnMut(FoldedPair<'_>) -> Result<()>) -> Result<()> {
        self.each_input(|input, reading, pipe| {
            let mut cleaned = Vec::new();
            each_line(input, pipe, |line, pipe| {
                match FoldedPair::parse(line.text) {
                    _ if line.is_comment() => reading.comment(&line, pipe)?,
                    Ok(pair) => {
                        let weight = u128::from(pair.before) + u128::from(pair.after);
                        let total = Total { lines: 1, weight };
                        pipe.count_read(total);
                        if lacks_frames(line.text, pair.labels, pair.stack) {
                            pipe.count_without_frames(total);
                        }
                        let stack = line.clean(pair.stack, &mut cleaned);
                        let stack = reading.roots.put_above(stack, pair.labels);
                        each(FoldedPair { stack, ..pair })?;
                    }
                    Err(why) => pipe.malformed(line.input, line.number, why),
                }
                Ok(ControlFlow::Continue(()))
            })
        })
    }

    /// Calls `each` with every line that is not empty, whatever it is, and its number.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn texts(self, mut each: impl FnMut(&[u8], u64, &mut Pipe) -> Result<()>) -> Result<()> {
        self.each_input(|input, _, pipe| {
            each_line(input, pipe, |line, pipe| {
                each(line.text, line.number, pipe).map(ControlFlow::Continue)
            })
        })
    }

    /// Calls `read` with every input, and with the state for reading it.
    pub(super) fn each_input(
        self,
        mut read: impl FnMut(&mut Input, &mut Reading<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        let Lines { pipe, source, comments, split, tells_headers } = self;
        let mut read_one = |input: &mut Input, pipe: &mut Pipe| {
            let before = pipe.stats.read.weight;
            let mut reading = Reading {
                comments,
                roots: Roots::of(split, input),
                keeps_header: comments == Comments::Keep || tells_headers,
                header: Vec::new(),
                told: None,
            };
            let read = read(input, &mut reading, pipe);
            reading.end_header(pipe.stats.read.weight - before, pipe);
            read
        };
        match source {
            Source::Files(files) => pipe.for_each_input(files, read_one),
            Source::Input(input) => read_one(input, pipe),
        }
    }
}

/// The state for reading one input.
pub(super) struct Reading<'a> {
    comments: Comments,
    roots: Roots<'a>,
    pub(super) keeps_header: bool,
    /// Its header lines.
    header: Vec<Vec<u8>>,
    /// If the pipe was told some of them: how many, and the headers of the inputs before.
    told: Option<(usize, Headers)>,
}

impl Reading<'_> {
    /// Calls `each` with a folded line, and does with a comment what the policy is. A malformed line
    /// is named.
    #[inline]
    pub(super) fn folded(
        &mut self,
        line: &Line<'_>,
        pipe: &mut Pipe,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        if line.is_comment() {
            return self.comment(line, pipe).map(ControlFlow::Continue);
        }
        let mut cleaned = Vec::new();
        match line.parse(&mut cleaned) {
            Ok(folded) => {
                pipe.stats.read += folded.count;
                if line.has_control {
                    pipe.has_labels |= !folded.labels.is_empty();
                }
                if lacks_frames(line.text, folded.labels, folded.stack) {
                    pipe.count_without_frames(folded.count);
                }
                let stack = self.roots.put_above(folded.stack, folded.labels);
                each(FoldedLine { stack, ..folded }, pipe)
            }
            Err(why) => {
                pipe.malformed(line.input, line.number, why);
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    #[cold]
    fn comment(&mut self, line: &Line<'_>, pipe: &mut Pipe) -> Result<()> {
        let mut cleaned = Vec::new();
        let text = line.clean(line.text, &mut cleaned);
        let is_end = is_end_line(text);
        if self.keeps_header {
            self.header.extend(parse_header(text).map(|_| text.to_vec()));
        }
        match self.comments {
            Comments::Keep => return Ok(()),
            Comments::PassOfPart if is_about_all_stacks(text) => return Ok(()),
            Comments::PassWithoutEnds if is_end => return Ok(()),
            _ => pipe.out.line(text)?,
        }
        if is_end { pipe.out.flush() } else { Ok(()) }
    }

    /// Lets the pipe know the header lines so far, before the input ends.
    pub(super) fn tell_header(&mut self, pipe: &mut Pipe) {
        if self.header.len() > self.told.as_ref().map_or(0, |(count, _)| *count) {
            let (_, before) = self.told.take().unwrap_or_else(|| (0, pipe.headers.clone()));
            pipe.headers = before.clone();
            pipe.headers.add(self.header.clone(), 0);
            self.told = Some((self.header.len(), before));
        }
    }

    /// Lets the pipe know all header lines of the input, and what its stacks weigh.
    fn end_header(self, weight: u128, pipe: &mut Pipe) {
        if let Some((_, before)) = self.told {
            pipe.headers = before;
        }
        pipe.headers.add(self.header, weight);
    }
}

/// Calls `each` with every line that is not empty, until it has enough.
pub(super) fn each_line(
    input: &mut Input,
    pipe: &mut Pipe,
    mut each: impl FnMut(Line<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let name = input.name().to_owned();
    let mut number = 0;
    pipe.begin_input();
    let mut blocks = Blocks::of_lines(input);
    loop {
        let block = match blocks.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => {
                pipe.describe_bad_input(&name, true);
                return Ok(());
            }
            Err(source) => return Err(Error::Input { name, source }),
        };
        pipe.keep_start(block);
        let mut start = 0;
        for LineEnd { at: end, has_control } in LineEnds::new(block) {
            number += 1;
            let text = without_cr(&block[start..end]);
            start = end + 1;
            if text.is_empty() {
                continue;
            }
            if each(Line { text, input: &name, number, has_control }, pipe)?.is_break() {
                return Ok(());
            }
        }
    }
}
