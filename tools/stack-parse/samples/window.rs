//! A slice of time: `--from` and `--to`.

use std::str::FromStr;

use bstr::ByteSlice;
use clap::Args;
use common::{Error, Result};

/// Which time to look at.
#[derive(Args, Debug)]
pub(crate) struct WindowArgs {
    /// Leave out what comes earlier than this many seconds after the first sample
    #[arg(long, value_name = "SECONDS")]
    from: Option<Seconds>,

    /// Leave out what comes this many seconds after the first sample, or later
    #[arg(long, value_name = "SECONDS")]
    to: Option<Seconds>,
}

/// A time in nanoseconds, written in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seconds(u64);

impl FromStr for Seconds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Seconds, &'static str> {
        nanoseconds(text.as_bytes()).map(Seconds).ok_or("expected seconds such as 10 or 2.5")
    }
}

/// The slice, counted from the first sample that has a time.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// Nanoseconds since the first sample; none if all time is wanted.
    range: Option<std::ops::Range<u64>>,
    first: Option<u64>,
}

impl Window {
    /// # Errors
    ///
    /// [`Error::Usage`] if the slice is empty.
    pub(crate) fn new(args: &WindowArgs) -> Result<Window> {
        let from = args.from.map_or(0, |seconds| seconds.0);
        let to = args.to.map_or(u64::MAX, |seconds| seconds.0);
        if from >= to {
            return Err(Error::Usage("--from must be less than --to".to_owned()));
        }
        let range = (args.from.is_some() || args.to.is_some()).then_some(from..to);
        Ok(Window { range, first: None })
    }

    /// True if and only if some time is not wanted.
    pub(crate) fn is_bounded(&self) -> bool {
        self.range.is_some()
    }

    /// True if and only if a sample of this time, in seconds, is wanted. One
    /// without time is wanted where all time is.
    #[inline]
    pub(crate) fn admits(&mut self, time: Option<&[u8]>) -> bool {
        let Some(range) = &self.range else { return true };
        let Some(now) = time.and_then(nanoseconds) else { return false };
        let first = *self.first.get_or_insert(now);
        // Samples of several processors may arrive out of order.
        range.contains(&now.saturating_sub(first))
    }
}

/// `525.936394` in nanoseconds.
pub(crate) fn nanoseconds(seconds: &[u8]) -> Option<u64> {
    let (whole, fraction) = seconds.split_once_str(".").unwrap_or((seconds, b"0"));
    let number = |digits: &[u8]| {
        let all_digits = digits.iter().all(u8::is_ascii_digit);
        if all_digits { digits.to_str().ok()?.parse::<u64>().ok() } else { None }
    };
    let digits = u32::try_from(fraction.len().min(9)).ok()?;
    let fraction = number(&fraction[..digits as usize])? * 10u64.pow(9 - digits);
    number(whole)?.checked_mul(1_000_000_000)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        for (text, expected) in [
            ("525.936394", Some(525_936_394_000)),
            ("0.000000001", Some(1)),
            ("12", Some(12_000_000_000)),
            ("1.0000000019", Some(1_000_000_001)),
            ("1.", None),
            (".5", None),
            ("-1", None),
            ("1e3", None),
            ("99999999999999", None),
        ] {
            assert_eq!(nanoseconds(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_slice_starts_at_the_first_sample() {
        let args = WindowArgs { from: Some(Seconds(1)), to: Some(Seconds(1_000_000_000)) };
        let mut window = Window::new(&args).expect("a slice");
        let mut admits = |time: &str| window.admits(Some(time.as_bytes()));
        assert!(!admits("100.5"));
        assert!(admits("100.500000001"));
        assert!(admits("101.499999999"));
        assert!(!admits("101.5"));
        assert!(!admits("99.0"));
        assert!(!window.admits(None));
    }
}
