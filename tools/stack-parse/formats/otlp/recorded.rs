//! When profiles were recorded, and how often samples were taken.

use std::collections::BTreeSet;

use super::dictionary::Dictionary;
use crate::samples::Facts;

/// The times of all profiles of an input.
#[derive(Default)]
pub(super) struct Recorded {
    /// The earliest start and the latest end, in nanoseconds since 1970.
    times: Option<[u64; 2]>,
    /// Whether some profile does not say when it was recorded.
    is_unknown: bool,
}

impl Recorded {
    /// Adds when a profile began and how long it took, in nanoseconds; 0 if that is unknown.
    pub(super) fn add(&mut self, start: u64, duration: u64) {
        self.is_unknown |= start == 0 || duration == 0;
        let end = start.saturating_add(duration);
        let [first, last] = self.times.get_or_insert([start, end]);
        (*first, *last) = (start.min(*first), end.max(*last));
    }

    pub(super) fn note(&self, facts: &mut Facts) {
        let times = self.times.filter(|_| !self.is_unknown);
        facts.length = times.map(|[first, last]| last - first);
    }
}

/// The periods of the profiles of a message: the number of the string with the unit, and how many of
/// it passed from one sample to the next; 0 if that is unknown.
#[derive(Default)]
pub(super) struct Periods(BTreeSet<[u64; 2]>);

impl Periods {
    pub(super) fn add(&mut self, unit: u64, period: u64) {
        self.0.insert([unit, period]);
    }

    pub(super) fn note(&self, dictionary: &Dictionary, facts: &mut Facts) {
        for &[unit, period] in &self.0 {
            match dictionary.string(unit) {
                b"nanoseconds" | b"ns" => facts.note_interval(period),
                _ => facts.note_rate(None),
            }
        }
    }
}
