//! The messages while samples are read. A helper thread prints none; it only keeps the lines that
//! it skips.

use std::fmt::Display;

use common::Error;

use super::Samples;

/// What the recorder says that it lost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss<'a> {
    /// How much was lost; 0 if the recorder says that nothing was.
    pub(crate) count: u64,
    /// Of what, in the plural: `samples`, `samples or other records`.
    pub(crate) of: &'a str,
    /// How much was recorded, if that is known.
    pub(crate) recorded: Option<u64>,
    /// What helps; may be empty.
    pub(crate) remedy: &'a str,
    /// Whether that is all that was lost of the samples that are taken, so that the header has it.
    pub(crate) is_exact: bool,
}

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

    /// Notes what was lost while recording, and reports it if it is not nothing: the same sentence
    /// for all formats. An error with `--strict`.
    pub(crate) fn note_loss(&mut self, Loss { count, of, recorded, remedy, is_exact }: Loss<'_>) {
        self.facts.lost.add(is_exact.then_some(count));
        if count == 0 {
            return;
        }
        let share = recorded.map(|recorded| {
            let all = count.saturating_add(recorded);
            format!(", {:.1} % of all,", 100.0 * count as f64 / all as f64)
        });
        let colon = if remedy.is_empty() { "" } else { ": " };
        self.doubt(format_args!(
            "{count} {of}{} were lost while recording{colon}{remedy}",
            share.unwrap_or_default()
        ));
    }

    /// Reports that a buffer of the recorder was full, and that nobody knows how many samples this
    /// cost; `remedy` is what helps.
    pub(crate) fn note_full_buffer(&mut self, remedy: &str) {
        self.facts.lost.add(None);
        self.doubt(format_args!(
            "events were lost while recording, as a buffer was full: {remedy}"
        ));
    }

    /// Says that frames have the lines where their functions are defined, if the user asked for
    /// lines: other formats have those of the calls. `but` says which frames differ, or is empty.
    pub(crate) fn note_lines_of_definitions(&mut self, but: &str) {
        if self.wants.frames.srcline() {
            self.note(format_args!(
                "lines are those where functions are defined{but}: no others were recorded"
            ));
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
