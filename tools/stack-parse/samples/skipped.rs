//! Lines that are not understood: named, counted, never silent.

use common::Pipe;

/// How many are named.
const NAMED: usize = 3;

/// What was skipped of one input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    named: Vec<(u64, &'static str)>,
    lines: u64,
}

impl Skipped {
    /// Notes a line by its number, counted from 1, and what was expected.
    pub(crate) fn add(&mut self, line: u64, why: &'static str) {
        self.lines += 1;
        if self.named.len() < NAMED {
            self.named.push((line, why));
        }
    }

    /// Adds what was skipped of a later part of the input, before which there
    /// are so many lines.
    pub(crate) fn absorb(&mut self, later: &Skipped, lines_before: u64) {
        self.lines += later.lines;
        let named = later.named.iter().map(|&(line, why)| (lines_before + line, why));
        self.named.extend(named.take(NAMED.saturating_sub(self.named.len())));
    }

    /// Says it, and forgets it for the next input.
    pub(crate) fn report(&mut self, input: &str, strict: bool, pipe: &mut Pipe) {
        for (line, why) in self.named.drain(..) {
            if strict {
                pipe.malformed(input, line, why);
            } else {
                pipe.skipped(input, line, why);
            }
            self.lines -= 1;
        }
        pipe.skipped_unnamed(std::mem::take(&mut self.lines));
    }
}
