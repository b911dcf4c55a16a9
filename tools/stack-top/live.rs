//! Profiles that are still being recorded: intervals, each with a line at its end.

use std::mem;

use common::pipe::{Live, Pipe};
use common::stacks::{Overflows, StackCounts};
use common::{Result, Status, hints::NO_WEIGHT, io::Screen};

use crate::Args;
use crate::asked::Patterns;

/// The stacks so far: of all intervals, or of the current one.
#[derive(Default)]
struct Stacks {
    counts: StackCounts,
    sum: u64,
    /// Whether a stack was added since the last end of an interval.
    is_new: bool,
}

/// What was shown so far.
#[derive(Default)]
struct Shown {
    times: u64,
    /// Whether anything of it weighs something.
    any_weight: bool,
}

/// Reads intervals: with `--follow` all that is known is shown at the end of each,
/// with `--last` only the newest one counts.
pub(crate) fn show(args: &Args, patterns: &Patterns, pipe: &mut Pipe) -> Result<Status> {
    let (mut stacks, mut shown) = (Stacks::default(), Shown::default());
    // With `--last`, the newest interval that is over.
    let mut newest = Stacks::default();
    let (mut overflows, mut has_weight) = (Overflows::default(), false);
    pipe.lines(&args.files).split(args.split.as_ref()).live(|live, pipe| {
        match live {
            Live::Stack(line) => {
                if overflows.add(&mut stacks.sum, line.stack, line.count) {
                    stacks.counts.add(line.stack, line.count);
                }
                stacks.is_new = true;
                has_weight |= line.count > 0;
            }
            Live::End => {
                if args.follow {
                    shown.again(args, patterns, stacks.counts.clone(), pipe)?;
                }
                stacks.is_new = false;
                if args.last {
                    newest = mem::take(&mut stacks);
                }
            }
        }
        Ok(())
    })?;
    pipe.leave_out(&overflows);
    // If the recording ended within an interval, that one is the newest.
    let is_over = !stacks.is_new;
    let last = if args.last && is_over { newest } else { stacks };
    let answer = args.answer(last.counts, patterns, &Screen::of_stdout(), pipe)?;
    // Of the intervals that were shown, the last may weigh nothing.
    let Some(answer) = answer.filter(|_| has_weight) else {
        pipe.note(NO_WEIGHT);
        return Ok(Status::Nothing);
    };
    if !args.follow || !is_over || shown.times == 0 {
        shown.text(&answer.text, args, pipe)?;
    }
    answer.hints.iter().for_each(|hint| pipe.note(hint));
    pipe.count_written(answer.shown);
    pipe.count_rest_as_dropped();
    Ok(if shown.any_weight { Status::Success } else { pipe.status() })
}

impl Shown {
    /// Shows what these stacks are, if they weigh anything.
    fn again(
        &mut self,
        args: &Args,
        patterns: &Patterns,
        counts: StackCounts,
        pipe: &mut Pipe,
    ) -> Result<()> {
        match args.answer(counts, patterns, &Screen::of_stdout(), pipe)? {
            Some(answer) => {
                self.any_weight |= answer.shown.weight > 0;
                self.text(&answer.text, args, pipe)
            }
            None => Ok(()),
        }
    }

    /// On a terminal in place of what was shown before; in a pipe after an empty line, or in JSON
    /// as the next line.
    fn text(&mut self, text: &[u8], args: &Args, pipe: &mut Pipe) -> Result<()> {
        let screen = Screen::of_stdout();
        let text = match screen.rows.filter(|_| args.follow) {
            Some(rows) => redrawn(text, rows, self.times == 0),
            None if self.times > 0 && !args.json => [b"\n", text].concat(),
            None => text.to_vec(),
        };
        self.times += 1;
        pipe.out().lines(&text)?;
        pipe.out().flush()
    }
}

/// The text with the codes that make a terminal write it over the text before: as many lines as
/// fit, always with the last one.
fn redrawn(text: &[u8], rows: usize, is_first: bool) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    // The cursor ends up in the line after the last one.
    let room = rows.saturating_sub(1).max(2);
    let (last, others) = lines.split_last().map_or((&b""[..], &[][..]), |(last, it)| (*last, it));
    let mut out = if is_first { b"\x1b[2J\x1b[H".to_vec() } else { b"\x1b[H".to_vec() };
    for line in others.iter().take(room - 1).chain([&last]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        // Erases what is left of a longer line, and then all lines below.
        out.extend_from_slice(line);
        out.extend_from_slice(b"\x1b[K\n");
    }
    out.extend_from_slice(b"\x1b[J");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_as_many_lines_as_it_has_room_for() {
        let text = b"head\n1\n2\n3\nfoot\n";
        let lines = |rows| {
            let text = String::from_utf8(redrawn(text, rows, false)).expect("ASCII");
            text.replace("\x1b[K\n", " ").replace("\x1b[H", "").replace("\x1b[J", "")
        };
        assert_eq!(lines(24), "head 1 2 3 foot ");
        assert_eq!(lines(6), "head 1 2 3 foot ");
        assert_eq!(lines(5), "head 1 2 foot ");
        assert_eq!(lines(1), "head foot ");
        assert!(redrawn(text, 24, true).starts_with(b"\x1b[2J"));
    }
}
