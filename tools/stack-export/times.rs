//! When samples were taken.

use crate::event::ExportedEvent;
use crate::profile::Profile;

/// The span of time in which the samples of a profile were taken, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// The first and the last time of the label `since`.
    since: Option<(u64, u64)>,
    /// What the clock of the label `time` showed where `since` is 0.
    zero: Option<u64>,
}

/// What clocks that count from 1970 showed in 2001: smaller values count from the start of the
/// machine.
const DATES: u64 = 1_000_000_000 * 1_000_000_000;

impl Times {
    /// The times of all samples.
    pub(crate) fn of(profile: &Profile) -> Times {
        let mut times = Times::default();
        for event in &profile.events {
            times.add(profile, event);
        }
        times
    }

    fn add(&mut self, profile: &Profile, event: &ExportedEvent) {
        let mut last = None;
        for stack in profile.stacks_of(event) {
            if stack.labels.is_none() || std::mem::replace(&mut last, stack.labels) == stack.labels
            {
                continue;
            }
            let labels = profile.labels(stack.labels);
            let (since, time) = (labels.nanoseconds("since"), labels.nanoseconds("time"));
            if let Some(since) = since {
                let (first, last) = self.since.unwrap_or((since, since));
                self.since = Some((first.min(since), last.max(since)));
            }
            let zero = time.and_then(|time| time.checked_sub(since.unwrap_or_default()));
            self.zero = self.zero.into_iter().chain(zero).min();
        }
    }

    /// What the clock showed at the start, in nanoseconds since 1970, if it is a date.
    pub(crate) fn date(&self) -> Option<u64> {
        self.zero.filter(|zero| (DATES..=i64::MAX.unsigned_abs()).contains(zero))
    }

    /// From the first sample to the last, in nanoseconds.
    pub(crate) fn duration(&self) -> u64 {
        self.since.map_or(0, |(first, last)| last - first).min(i64::MAX.unsigned_abs())
    }
}
