//! The messages while samples are read. A helper thread prints none; it only keeps the lines that
//! it skips.

use std::fmt::Display;

use common::Error;

use super::Samples;

impl Samples<'_> {
    /// Reports an error in an input.
    pub(crate) fn error(&mut self, error: &Error) {
        if let Some(pipe) = &mut self.pipe {
            pipe.error(error);
        }
    }

    /// Prints a note.
    pub(crate) fn say(&mut self, what: impl Display) {
        if let Some(pipe) = &mut self.pipe {
            pipe.note(what);
        }
    }

    /// Prints a note about this input.
    pub(crate) fn note(&mut self, what: impl Display) {
        let name = self.input.name.clone();
        self.say(format_args!("{name}: {what}"));
    }

    /// Prints a note about something in this input and how often it came, if it did.
    pub(crate) fn note_count(&mut self, count: u64, what: &str) {
        if count > 0 {
            self.note(format_args!("{count} {what}"));
        }
    }

    /// Prints such a note for each of these things.
    pub(crate) fn note_counts(&mut self, counts: &[(u64, &str)]) {
        for &(count, what) in counts {
            self.note_count(count, what);
        }
    }

    /// Prints a note about this input, which is an error with `--strict`.
    pub(crate) fn doubt(&mut self, what: impl Display) {
        if self.wants.strict {
            let name = self.input.name.clone();
            self.error(&Error::Unknown { name, what: what.to_string() });
        } else {
            self.note(what);
        }
    }

    /// Counts a folded line that has a count and no frames.
    pub(crate) fn count_without_frames(&mut self, count: u64) {
        if let Some(pipe) = &mut self.pipe {
            pipe.count_without_frames(count);
        }
    }

    /// Reports a line of this input that is not understood, in a format that allows no such lines:
    /// an error.
    pub(crate) fn malformed(&mut self, line: u64, why: impl Display) {
        if let Some(pipe) = &mut self.pipe {
            pipe.malformed(&self.input.name, line, why);
        }
    }
}
