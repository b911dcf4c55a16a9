//! A slice of time: `--from` and `--to`.

use std::ops::Range;

use clap::Args;
use common::{Error, Result, numbers::nanoseconds};

use super::events::Fate;
use super::labels::When;
use super::sample::{Sample, Time};

/// The slice of time to read, in nanoseconds.
#[derive(Args, Clone, Debug)]
pub(crate) struct WindowArgs {
    /// Leave out what comes earlier than this many seconds after a file's first sample
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    from: Option<u64>,

    /// Leave out what comes this many seconds after a file's first sample, or later
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(super) to: Option<u64>,
}

/// A time written in seconds, in nanoseconds.
fn parse_seconds(text: &str) -> Result<u64, &'static str> {
    nanoseconds(text.as_bytes()).ok_or("expected seconds such as 10 or 2.5")
}

/// The slice, relative to the first sample of an input that has a time.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// Nanoseconds since the first sample; `None` if all time is wanted.
    range: Option<Range<u64>>,
    first: Option<u64>,
    /// Whether the times of this input are not seconds of a clock.
    is_unclocked: bool,
}

impl Window {
    /// The slice that the options ask for.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the slice is empty.
    pub(super) fn new(args: &WindowArgs) -> Result<Window> {
        let from = args.from.unwrap_or(0);
        let to = args.to.unwrap_or(u64::MAX);
        if from >= to {
            return Err(Error::Usage("--from must be less than --to".to_owned()));
        }
        let range = (args.from.is_some() || args.to.is_some()).then_some(from..to);
        Ok(Window { range, first: None, is_unclocked: false })
    }

    /// Resets the clock: each input has its own.
    pub(super) fn begin_input(&mut self) {
        (self.first, self.is_unclocked) = (None, false);
    }

    /// Declares that the times of this input are not seconds of a clock: they can limit a slice,
    /// but they are no labels.
    pub(crate) fn set_unclocked(&mut self) {
        self.is_unclocked = true;
    }

    /// Whether the times of this input are seconds of a clock.
    pub(crate) fn has_clock(&self) -> bool {
        !self.is_unclocked
    }

    /// The time of a sample for its labels; `None` for a sample without one.
    pub(super) fn labelled_when(&mut self, origin: &Sample<'_>) -> Option<When> {
        if self.is_unclocked { None } else { self.when(origin) }
    }

    /// Whether some times are left out.
    pub(super) fn is_bounded(&self) -> bool {
        self.range.is_some()
    }

    /// Nanoseconds since the first sample; negative where samples of several
    /// processors arrive out of order. `None` for a sample without time.
    #[inline]
    pub(super) fn since_first(&mut self, time: Option<Time<'_>>) -> Option<i128> {
        let now = time.and_then(Time::nanoseconds)?;
        let first = *self.first.get_or_insert(now);
        Some(i128::from(now) - i128::from(first))
    }

    /// The time of a sample; `None` for a sample without one.
    pub(super) fn when(&mut self, origin: &Sample<'_>) -> Option<When> {
        let time = origin.time.and_then(Time::nanoseconds);
        let since_first = || self.since_first(origin.time).and_then(|it| i64::try_from(it).ok());
        let since = origin.since.or_else(since_first)?;
        Some(When { since, time })
    }

    /// Whether a sample counts, or why not. `is_wanted` is true if its event is.
    #[inline]
    pub(super) fn fate(
        &mut self,
        is_wanted: bool,
        time: Option<Time<'_>>,
        since: Option<i64>,
    ) -> Fate {
        match self.admits(time, since) {
            _ if !is_wanted => Fate::OtherEvent,
            true => Fate::Taken,
            false if time.is_some() || since.is_some() => Fate::OtherTime,
            false => Fate::NoTime,
        }
    }

    /// Whether a sample of this time is wanted; `since` is its time after the first sample in
    /// nanoseconds, if the input has that. A sample without a time is wanted only where all time
    /// is.
    #[inline]
    fn admits(&mut self, time: Option<Time<'_>>, since: Option<i64>) -> bool {
        if !self.is_bounded() {
            // The first sample is that of the input, of any event.
            if self.first.is_none() {
                self.since_first(time);
            }
            return true;
        }
        let since = since.map(i128::from).or_else(|| self.since_first(time));
        let (Some(range), Some(since)) = (&self.range, since) else { return false };
        range.contains(&u64::try_from(since).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_starts_at_the_first_sample() {
        let args = WindowArgs { from: Some(1), to: Some(1_000_000_000) };
        let mut window = Window::new(&args).expect("a slice");
        let mut admits = |time: &str| window.admits(Some(Time::Text(time.as_bytes())), None);
        assert!(!admits("100.5"));
        assert!(admits("100.500000001"));
        assert!(admits("101.499999999"));
        assert!(!admits("101.5"));
        assert!(!admits("99.0"));
        assert!(!window.admits(None, None));
        window.begin_input();
        assert!(!window.admits(Some(Time::Nanoseconds(7)), None));
        assert!(window.admits(Some(Time::Nanoseconds(8)), None));
    }
}
