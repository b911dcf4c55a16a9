//! How a tool that looks for something reads: one search in many lines is much faster than one
//! search in each line.

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memrchr};

use super::line::Line;
use crate::folded::{FoldedLine, Malformed, NO_STACK};
use crate::io::line_ends::{LineEnd, LineEnds};
use crate::io::{Total, without_cr};
use crate::pipe::{Lines, Pipe};
use crate::{Result, io::scanned::for_each_scanned, pattern::Finder};

/// A line that is passed on.
struct Found {
    /// The folded lines without a match between the previous line of this kind and this one.
    dropped: Total,
    /// Its number in the block.
    number: u64,
    /// Its text in the block, without its end.
    text: Range<usize>,
    has_control: bool,
}

/// The result of a search in a block of lines.
#[derive(Default)]
struct Search {
    /// The lines that may hold a match, and all that are not folded lines.
    found: Vec<Found>,
    /// The folded lines without a match after the last of them.
    dropped: Total,
    /// How many lines there are.
    lines: u64,
}

impl Lines<'_> {
    /// Calls `each` with the folded lines in which `finder` finds something, with all lines if there
    /// is no finder, until it has enough of an input. The other lines are counted as dropped.
    ///
    /// # Errors
    ///
    /// What `each` returns.
    pub fn each_found(
        self,
        finder: Option<&Finder>,
        mut each: impl FnMut(FoldedLine<'_>, &mut Pipe) -> Result<ControlFlow<()>> + Send,
    ) -> Result<()> {
        let Some(finder) = finder else { return self.each_until(each) };
        self.each_input(|input, reading, pipe| {
            let name = input.name().to_owned();
            let mut lines_before = 0;
            pipe.begin_input();
            let search = |block: &[u8]| Search::of(block, finder);
            for_each_scanned(input, search, |block, search| {
                pipe.keep_start(block);
                for Found { dropped, number, text, has_control } in search.found {
                    pipe.drop_lines(dropped);
                    let number = lines_before + number;
                    let line = Line { text: &block[text], input: &name, number, has_control };
                    if reading.folded(&line, pipe, &mut each)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                pipe.drop_lines(search.dropped);
                lines_before += search.lines;
                Ok(ControlFlow::Continue(()))
            })?;
            pipe.describe_bad_input(&name, true);
            Ok(())
        })
    }
}

impl Pipe {
    /// Counts lines that are read and left out.
    fn drop_lines(&mut self, lines: Total) {
        self.count_read(lines);
        self.count_dropped(lines);
    }
}

impl Search {
    fn of(block: &[u8], finder: &Finder) -> Search {
        let mut search = Search::default();
        let mut start = 0;
        while let Some(at) = finder.find(&block[start..]) {
            let line =
                memrchr(b'\n', &block[start..start + at]).map_or(start, |end| start + end + 1);
            search.pass_over(block, start..line);
            start = search.keep(block, line);
        }
        search.pass_over(block, start..block.len());
        search
    }

    /// Counts the folded lines of a part of the block as dropped, and keeps the other lines.
    fn pass_over(&mut self, block: &[u8], part: Range<usize>) {
        if memchr(b'\t', &block[part.clone()]).is_some() {
            self.pass_over_lines(block, part, FoldedLine::parse);
        } else {
            self.pass_over_lines(block, part, FoldedLine::parse_unlabelled);
        }
    }

    #[inline(always)]
    fn pass_over_lines<'a>(
        &mut self,
        block: &'a [u8],
        part: Range<usize>,
        parse: impl Fn(&'a [u8]) -> Result<FoldedLine<'a>, Malformed>,
    ) {
        let mut start = part.start;
        while start < part.end {
            let end = memchr(b'\n', &block[start..]).map_or(block.len(), |end| start + end);
            let text = without_cr(&block[start..end]);
            match parse(text) {
                // `# end 2` has the form of a stack and is a comment; the stack of ` 2` has a
                // name that is not in the text.
                Ok(folded) if text[0] != b'#' && folded.stack != NO_STACK => {
                    self.dropped += folded.count;
                }
                _ if text.is_empty() => {}
                _ => {
                    start = self.keep(block, start);
                    continue;
                }
            }
            self.lines += 1;
            start = end + 1;
        }
    }

    /// Keeps the line that starts at `start`. Returns the start of the next line.
    fn keep(&mut self, block: &[u8], start: usize) -> usize {
        let rest = &block[start..];
        let only = LineEnd { at: rest.len(), has_control: false };
        let LineEnd { at: end, has_control } = LineEnds::new(rest).next().unwrap_or(only);
        self.lines += 1;
        self.found.push(Found {
            dropped: std::mem::take(&mut self.dropped),
            number: self.lines,
            text: start..start + without_cr(&rest[..end]).len(),
            has_control,
        });
        (start + end + 1).min(block.len())
    }
}
