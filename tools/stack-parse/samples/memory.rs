//! Samples of memory: which are in use, for how long, and the peak.

use common::{Error, Result};

use super::Samples;
use super::event::{Fate, Peak};
use super::labels::DIGITS;
use super::root::Root;
use super::sample::{Sample, append_seconds};
use super::sink::Sink;

/// The key of the label with the time that an object was in use.
pub(crate) const LIFETIME: &[u8] = b"lifetime";

/// The value of a label with a time, in seconds.
pub(crate) fn seconds_of_label(nanoseconds: u64) -> Vec<u8> {
    let mut seconds = Vec::new();
    append_seconds(nanoseconds.into(), DIGITS, &mut seconds);
    seconds
}

impl Samples<'_> {
    /// Counts a sample whose object was not chosen.
    pub(crate) fn leave_out(&mut self, origin: &Sample<'_>) {
        let (event, weight) = self.events.of_sample(origin);
        let fate = match self.fate(event, origin.time, origin.since) {
            Fate::Taken => Fate::OtherObject,
            other => other,
        };
        self.events.account((event, weight), origin, self.input.weighs, fate);
    }

    /// Whether the input's events are only listed.
    pub(crate) fn lists_events(&self) -> bool {
        matches!(self.sink, Sink::List)
    }

    /// Notes the peak of memory in use by a measure, and when it was, as text: for the list of what
    /// the input holds.
    pub(crate) fn note_peak(&mut self, measure: &[u8], most: u64, when: &[u8]) {
        self.events.note_peak(measure, Peak { most, when: when.to_vec() });
    }

    /// Whether samples of objects must wait until their lifetime is known.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the user asked for lifetimes by name, but lines are written at once.
    pub(crate) fn wants_lifetimes(&self) -> Result<bool> {
        if !self.is_live() {
            return Ok(self.wants_label(LIFETIME));
        }
        if self.names_lifetime() {
            let what = "the label lifetime is known when an object is freed: \
                        --per-sample, --every and --table do not wait for that";
            return Err(Error::Usage(what.to_owned()));
        }
        Ok(false)
    }

    /// Whether the user asked for lifetimes by name.
    pub(crate) fn names_lifetime(&self) -> bool {
        let is_root = matches!(&self.input.root, Root::Label(key) if key == LIFETIME);
        is_root || self.labels.is_named(LIFETIME)
    }
}
