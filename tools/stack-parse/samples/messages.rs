//! What is said while samples are read. A thread that helps another one says nothing
//! itself: it only keeps what it skips.

use std::fmt::Display;

use common::Error;

use super::Samples;

impl Samples<'_> {
    /// Says what is wrong with an input.
    pub(crate) fn error(&mut self, error: &Error) {
        if let Some(pipe) = &mut self.pipe {
            pipe.error(error);
        }
    }

    /// Says something that is no trouble.
    pub(crate) fn say(&mut self, what: impl Display) {
        if let Some(pipe) = &mut self.pipe {
            pipe.note(what);
        }
    }

    /// Says something about this input that is no trouble.
    pub(crate) fn note(&mut self, what: impl Display) {
        let name = self.input.name.clone();
        self.say(format_args!("{name}: {what}"));
    }

    /// Says something about this input that is trouble only with `--strict`.
    pub(crate) fn doubt(&mut self, what: impl Display) {
        if self.args.strict {
            let name = self.input.name.clone();
            self.error(&Error::Unknown { name, what: what.to_string() });
        } else {
            self.note(what);
        }
    }

    /// Names a line of this input that is not understood; trouble only with
    /// `--strict`.
    pub(crate) fn skip(&mut self, line: u64, why: &'static str) {
        self.skipped.add(line, why);
    }

    /// Counts a folded line that has a count and no frames.
    pub(crate) fn count_without_frames(&mut self, count: u64) {
        if let Some(pipe) = &mut self.pipe {
            pipe.count_without_frames(count);
        }
    }

    /// Names a line of this input that breaks a format which allows no such
    /// lines: trouble.
    pub(crate) fn malformed(&mut self, line: u64, why: impl Display) {
        if let Some(pipe) = &mut self.pipe {
            pipe.malformed(&self.input.name, line, why);
        }
    }
}
