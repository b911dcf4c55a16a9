//! How a tool reads: lines, folded lines.

use std::ops::ControlFlow;
use std::path::Path;

use crate::folded::{FoldedLine, Malformed, StackBuf, is_end_line, lacks_frames, parse_header};
use crate::folded::{LineEnd, LineEnds, clean_text, has_control, samples_of, would_be_comment};
use crate::io::{Blocks, Files, Input, STDIN, without_cr};
use crate::pipe::Pipe;
use crate::{Error, Result};

/// What comes in while a profile is still being recorded.
#[derive(Clone, Copy, Debug)]
pub enum Live<'a> {
    /// A folded line.
    Stack(FoldedLine<'a>),
    /// An interval is over.
    End,
}

/// A line that is not empty, and its number in its input.
pub(super) struct Line<'a> {
    pub(super) text: &'a [u8],
    pub(super) input: &'a str,
    pub(super) number: u64,
    /// Whether there are control bytes in it.
    pub(super) has_control: bool,
}

impl Line<'_> {
    pub(super) fn is_comment(&self) -> bool {
        self.text.starts_with(b"# ")
    }

    /// The line without control bytes, if it is a header line.
    pub(super) fn header(&self) -> Option<Vec<u8>> {
        let mut header = Vec::new();
        clean_text(self.text, &mut header);
        parse_header(&header).is_some().then_some(header)
    }

    /// The folded line; `cleaned` is a buffer for a stack without control bytes.
    #[inline]
    fn parse<'b>(&'b self, cleaned: &'b mut Vec<u8>) -> Result<FoldedLine<'b>, Malformed> {
        if self.has_control {
            return self.parse_with_controls(cleaned);
        }
        FoldedLine::parse_unlabelled(self.text)
    }

    #[inline(never)]
    fn parse_with_controls<'b>(
        &'b self,
        cleaned: &'b mut Vec<u8>,
    ) -> Result<FoldedLine<'b>, Malformed> {
        let folded = FoldedLine::parse(self.text)?;
        if !folded.stack.starts_with(b"#") {
            return Ok(FoldedLine { stack: self.clean(folded.stack, cleaned), ..folded });
        }
        // `#\tmy thread;main`, also after labels, which is sorted as it will be written.
        clean_text(folded.stack, cleaned);
        if would_be_comment(cleaned) {
            cleaned.insert(0, b'\\');
        }
        Ok(FoldedLine { stack: cleaned, ..folded })
    }

    /// `text`, a part of the line, with spaces in place of control bytes: tabs, or escapes that
    /// would colour a terminal. `cleaned` is a buffer for it.
    #[inline]
    pub(super) fn clean<'b>(&self, text: &'b [u8], cleaned: &'b mut Vec<u8>) -> &'b [u8] {
        // In most lines with labels, only the labels have control bytes.
        if !self.has_control || !has_control(text) {
            return text;
        }
        cleaned.clear();
        clean_text(text, cleaned);
        cleaned
    }
}

impl Pipe {
    /// Calls `each` with every folded line; `each` writes the new line, if any. Lines that start
    /// with `# ` are written as they are; where one of them ends an interval, the output is
    /// flushed. Malformed lines are named. As in all methods that read lines, control bytes become
    /// spaces.
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
            pipe.filter_until(input, |line, pipe| each(line, pipe).map(ControlFlow::Continue))
        })
    }

    /// The same for a filter that writes its stacks after it has read all of them. Lines that end
    /// an interval are left out, since they would come before all stacks.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn filter_at_end(
        &mut self,
        files: &Files,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        let comment = |comment: &[u8], pipe: &mut Pipe| {
            if is_end_line(comment) { Ok(()) } else { pipe.out.line(comment) }
        };
        self.for_each_input(files, |input, pipe| {
            let each =
                |line: FoldedLine<'_>, pipe: &mut Pipe| each(line, pipe).map(ControlFlow::Continue);
            pipe.filter_lines(input, each, comment)
        })
    }

    /// As [`filter`](Pipe::filter) with the lines of one input, until `each` has
    /// enough.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], or what `each` returns.
    pub(super) fn filter_until(
        &mut self,
        input: &mut Input,
        each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.filter_lines(input, each, pass_comment)
    }

    pub(super) fn filter_lines(
        &mut self,
        input: &mut Input,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
        comment: impl Fn(&[u8], &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        self.for_each_line(input, |line, pipe| pipe.filter_line(&line, &mut each, &comment))
    }

    #[inline]
    pub(super) fn filter_line(
        &mut self,
        line: &Line<'_>,
        each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
        comment: impl Fn(&[u8], &mut Pipe) -> Result<()>,
    ) -> Result<ControlFlow<()>> {
        if line.is_comment() {
            let mut cleaned = Vec::new();
            let text = line.clean(line.text, &mut cleaned);
            return comment(text, self).map(ControlFlow::Continue);
        }
        self.folded(line, each)
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
        self.read_until(input, |line, pipe| each(line, pipe).map(ControlFlow::Continue))
    }

    /// As [`read_folded`](Pipe::read_folded), until `each` has enough.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], or what `each` returns.
    pub(super) fn read_until(
        &mut self,
        input: &mut Input,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut header = Vec::new();
        let before = self.stats.read.weight;
        let read = self.for_each_line(input, |line, pipe| {
            if line.is_comment() {
                header.extend(line.header());
                return Ok(ControlFlow::Continue(()));
            }
            pipe.folded(&line, &mut each)
        });
        self.headers.add(header, self.stats.read.weight - before);
        read
    }

    /// As [`read_folded`](Pipe::read_folded); returns the number of samples, if the header lines of
    /// this input name it.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], or what `each` returns.
    pub fn read_samples(
        &mut self,
        input: &mut Input,
        each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<Option<u64>> {
        self.read_folded(input, each)?;
        Ok(self.headers.samples_of_last())
    }

    /// Calls `each` with every folded line, and at every line that ends an interval. Header lines
    /// are known from the first of these calls on; other comments are dropped; malformed lines are
    /// named.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn for_each_live(
        &mut self,
        files: &Files,
        mut each: impl FnMut(Live<'_>, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        self.for_each_input(files, |input, pipe| {
            let mut header = Vec::new();
            pipe.for_each_line(input, |line, pipe| {
                let is_end = is_end_line(line.text);
                if line.is_comment() && !is_end {
                    header.extend(line.header());
                    return Ok(ControlFlow::Continue(()));
                }
                if !header.is_empty() {
                    pipe.headers.add(std::mem::take(&mut header), 0);
                }
                let mut go_on =
                    |live: Live<'_>, pipe: &mut Pipe| each(live, pipe).map(ControlFlow::Continue);
                match is_end {
                    true => go_on(Live::End, pipe),
                    false => pipe.folded(&line, |line, pipe| go_on(Live::Stack(line), pipe)),
                }
            })
        })
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

    /// Calls `each` with every folded line; the name of its file is added to the stack as its root.
    /// Malformed lines are named.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn for_each_folded_by_file(
        &mut self,
        files: &Files,
        mut each: impl FnMut(FoldedLine<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut stack = StackBuf::default();
        for path in files.iter() {
            let file = Files { paths: vec![path.to_owned()] };
            let root = root_of_file(path);
            self.for_each_folded(&file, |line| {
                stack.clear();
                stack.push_clean_frame(&root);
                stack.push_clean_frame(line.stack);
                each(FoldedLine { stack: stack.as_bytes(), ..line })
            })?;
        }
        Ok(())
    }

    #[inline]
    fn folded(
        &mut self,
        line: &Line<'_>,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let mut cleaned = Vec::new();
        match line.parse(&mut cleaned) {
            Ok(folded) => {
                self.stats.read += folded.count;
                if line.has_control {
                    self.has_labels |= !folded.labels.is_empty();
                }
                if lacks_frames(line.text, folded.labels, folded.stack) {
                    self.count_without_frames(folded.count);
                }
                each(folded, self)
            }
            Err(why) => {
                self.malformed_line(line, why);
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    #[cold]
    pub(super) fn malformed_line(&mut self, line: &Line<'_>, why: Malformed) {
        self.malformed(line.input, line.number, why);
    }

    /// Calls `each` with every line of one input that is not empty, without its end,
    /// and its number: for what is neither a stack nor a header.
    ///
    /// # Errors
    ///
    /// [`Error::Input`], or what `each` returns.
    pub fn for_each_text_line(
        &mut self,
        input: &mut Input,
        mut each: impl FnMut(&[u8], u64, &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        self.for_each_line(input, |line, pipe| {
            each(line.text, line.number, pipe).map(ControlFlow::Continue)
        })
    }

    /// Calls `each` with every line that is not empty, until it has enough.
    pub(super) fn for_each_line(
        &mut self,
        input: &mut Input,
        mut each: impl FnMut(Line<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let name = input.name().to_owned();
        let mut number = 0;
        self.begin_input();
        let mut blocks = Blocks::of_lines(input);
        loop {
            let block = match blocks.next_block() {
                Ok(Some(block)) => block,
                Ok(None) => {
                    self.describe_bad_input(&name, true);
                    return Ok(());
                }
                Err(source) => return Err(Error::Input { name, source }),
            };
            self.keep_start(block);
            let mut start = 0;
            for LineEnd { at: end, has_control } in LineEnds::new(block) {
                number += 1;
                let text = without_cr(&block[start..end]);
                start = end + 1;
                if text.is_empty() {
                    continue;
                }
                if each(Line { text, input: &name, number, has_control }, self)?.is_break() {
                    return Ok(());
                }
            }
        }
    }
}

/// Writes a comment; flushes the output if the comment ends an interval.
pub(super) fn pass_comment(comment: &[u8], pipe: &mut Pipe) -> Result<()> {
    pipe.out.line(comment)?;
    if is_end_line(comment) { pipe.out.flush() } else { Ok(()) }
}

/// The same for a tool that writes only some of the lines: the header line with the number of
/// samples is dropped.
pub(super) fn pass_comment_on_all(comment: &[u8], pipe: &mut Pipe) -> Result<()> {
    if samples_of(comment).is_some() { Ok(()) } else { pass_comment(comment, pipe) }
}

/// The root frame for a file, which [`for_each_folded_by_file`] adds to its stacks.
///
/// [`for_each_folded_by_file`]: Pipe::for_each_folded_by_file
#[must_use]
pub fn root_of_file(path: &Path) -> Vec<u8> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { STDIN.as_bytes() } else { path.as_os_str().as_encoded_bytes() };
    let mut stack = StackBuf::default();
    stack.push_frame(name);
    stack.as_bytes().to_vec()
}
