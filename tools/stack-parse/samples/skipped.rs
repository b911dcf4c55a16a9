//! Lines that are not understood: named, counted, never silent.

use common::Pipe;

/// How many are named.
const NAMED: usize = 3;

/// What was skipped of one input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    named: Vec<(u64, &'static str)>,
    lines: u64,
    /// How many lines the input has, as far as its reader told.
    read: Option<u64>,
}

impl Skipped {
    /// Notes a line by its number, counted from 1, and what was expected.
    pub(crate) fn add(&mut self, line: u64, why: &'static str) {
        self.lines += 1;
        if self.named.len() < NAMED {
            self.named.push((line, why));
        }
    }

    /// Tells how many lines the input has, blank ones included.
    pub(crate) fn set_read(&mut self, lines: u64) {
        self.read = Some(lines);
    }

    /// Adds what was skipped of a later part of the input, before which there
    /// are so many lines.
    pub(crate) fn absorb(&mut self, later: &Skipped, lines_before: u64) {
        self.lines += later.lines;
        let named = later.named.iter().map(|&(line, why)| (lines_before + line, why));
        self.named.extend(named.take(NAMED.saturating_sub(self.named.len())));
    }

    /// Says what was skipped, and forgets it for the next input. The exit status
    /// will be 2 if the user is `strict`, or if most of the input was skipped:
    /// then what came out says little of it.
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
