//! Lines that were not understood: reported with their number, or at least counted.

use common::pipe::Pipe;

/// How many lines are reported with their number.
const NAMED: usize = 3;

/// The lines skipped in one input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    named: Vec<(u64, &'static str)>,
    lines: u64,
    /// How many lines the input has, if its reader has set that.
    read: Option<u64>,
}

impl Skipped {
    /// Notes a line by its number, counted from 1, and what was expected. It is an error only with
    /// `--strict`.
    pub(crate) fn add(&mut self, line: u64, why: &'static str) {
        self.lines += 1;
        if self.named.len() < NAMED {
            self.named.push((line, why));
        }
    }

    /// Sets how many lines the input has, blank ones included.
    pub(crate) fn set_read(&mut self, lines: u64) {
        self.read = Some(lines);
    }

    /// Adds the lines skipped in a later part of the input, which has `lines_before` lines before
    /// it.
    pub(crate) fn absorb(&mut self, later: &Skipped, lines_before: u64) {
        self.lines += later.lines;
        let named = later.named.iter().map(|&(line, why)| (lines_before + line, why));
        self.named.extend(named.take(NAMED.saturating_sub(self.named.len())));
    }

    /// Reports the skipped lines, and clears them for the next input. The exit status will be 2 if
    /// the user is `strict`, or if most of the input was skipped: then the output represents little
    /// of it.
    pub(crate) fn report(&mut self, input: &str, strict: bool, pipe: &mut Pipe) {
        let Skipped { named, lines: skipped, read } = std::mem::take(self);
        let unnamed = skipped - named.len() as u64;
        let mostly_of = read.filter(|&read| skipped > read / 2);
        for (line, why) in named {
            if strict || mostly_of.is_some() {
                pipe.malformed(input, line, why);
            } else {
                pipe.skipped(input, line, why);
            }
        }
        pipe.skipped_unnamed(unnamed);
        if let Some(read) = mostly_of {
            pipe.note(format_args!("{input}: {skipped} of {read} lines were not understood"));
        }
    }
}
