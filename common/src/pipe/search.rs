//! How a tool reads that looks for something: one search in many lines is much faster
//! than one in each of them.

use std::ops::ControlFlow;

use memchr::{memchr, memrchr};

use super::read::{Line, pass_comment, without_cr};
use crate::folded::{LineEnd, LineEnds};
use crate::{Finder, FoldedLine, Input, Pipe, Result, Total};

impl Pipe {
    /// As [`filter`](Pipe::filter) with one input, until `each` has enough; lines in which
    /// `finder` finds nothing are not shown to `each`: they are counted as dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Input`](crate::Error::Input), or what `each` returns.
    pub fn filter_found(
        &mut self,
        input: &mut Input,
        finder: Option<&Finder>,
        each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        match finder {
            Some(finder) => self.search(input, finder, each, pass_comment),
            None => self.filter_until(input, each),
        }
    }

    /// As [`filter_found`](Pipe::filter_found), but comments are dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Input`](crate::Error::Input), or what `each` returns.
    pub fn read_found(
        &mut self,
        input: &mut Input,
        finder: Option<&Finder>,
        each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        match finder {
            Some(finder) => self.search(input, finder, each, |_, _| Ok(())),
            None => self.read_until(input, each),
        }
    }

    fn search(
        &mut self,
        input: &mut Input,
        finder: &Finder,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>>,
        comment: fn(&[u8], &mut Pipe) -> Result<()>,
    ) -> Result<()> {
        let mut number = 0;
        self.for_each_block(input, |block, input, pipe| {
            let mut rest = block;
            while let Some(at) = finder.find(rest) {
                let start = memrchr(b'\n', &rest[..at]).map_or(0, |end| end + 1);
                let (before, found) = rest.split_at(start);
                number = pipe.drop_lines(before, input, number, comment)?;
                number += 1;
                let (line, behind) = first_line(found, input, number);
                if pipe.filter_line(&line, &mut each, comment)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                rest = behind;
            }
            number = pipe.drop_lines(rest, input, number, comment)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Counts folded lines as dropped. Returns the number of the last line, if `number`
    /// is that of the line before them.
    fn drop_lines(
        &mut self,
        lines: &[u8],
        input: &str,
        mut number: u64,
        comment: fn(&[u8], &mut Pipe) -> Result<()>,
    ) -> Result<u64> {
        let mut dropped = Total::default();
        let mut rest = lines;
        while !rest.is_empty() {
            number += 1;
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            let text = without_cr(&rest[..end]);
            match FoldedLine::parse(text) {
                // `# end 2` has the form of a stack and is a comment.
                Ok(folded) if text[0] != b'#' => dropped += folded.count,
                _ if text.is_empty() => {}
                _ => {
                    self.count_dropped_lines(std::mem::take(&mut dropped));
                    let (line, _) = first_line(rest, input, number);
                    let drop = |folded: FoldedLine<'_>, pipe: &mut Pipe| {
                        pipe.drop_line(&folded);
                        Ok(ControlFlow::Continue(()))
                    };
                    let _ = self.filter_line(&line, drop, comment)?;
                }
            }
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        self.count_dropped_lines(dropped);
        Ok(number)
    }

    fn count_dropped_lines(&mut self, lines: Total) {
        self.count_read(lines);
        self.count_dropped(lines);
    }
}

/// The first of some lines, and those behind it.
fn first_line<'a>(lines: &'a [u8], input: &'a str, number: u64) -> (Line<'a>, &'a [u8]) {
    let only = LineEnd { at: lines.len(), has_control: false };
    let LineEnd { at: end, has_control } = LineEnds::new(lines).next().unwrap_or(only);
    let line = Line { text: without_cr(&lines[..end]), input, number, has_control };
    (line, lines.get(end + 1..).unwrap_or_default())
}
