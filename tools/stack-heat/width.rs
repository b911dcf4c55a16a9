//! How much time a column stands for.

use std::str::FromStr;

use common::nanoseconds;

const MILLISECOND: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000 * MILLISECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The widths of columns in nanoseconds, round for people.
pub(crate) const ROUND: [u64; 36] = [
    MILLISECOND,
    2 * MILLISECOND,
    5 * MILLISECOND,
    10 * MILLISECOND,
    20 * MILLISECOND,
    50 * MILLISECOND,
    100 * MILLISECOND,
    200 * MILLISECOND,
    500 * MILLISECOND,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    20 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    20 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    5 * DAY,
    10 * DAY,
    20 * DAY,
    50 * DAY,
    100 * DAY,
    200 * DAY,
    500 * DAY,
    1000 * DAY,
];

/// The least round width that fits, or else the greatest.
pub(crate) fn least_round(fits: impl Fn(u64) -> bool) -> u64 {
    ROUND.into_iter().find(|&width| fits(width)).unwrap_or(ROUND[ROUND.len() - 1])
}

/// The widths at which weights are summed before it is known how long a recording is:
/// each is a multiple of the one before, and so is every wider one of [`ROUND`].
pub(crate) const FINE: [u64; 12] = [
    MILLISECOND,
    10 * MILLISECOND,
    100 * MILLISECOND,
    SECOND,
    10 * SECOND,
    MINUTE,
    10 * MINUTE,
    HOUR,
    DAY,
    10 * DAY,
    100 * DAY,
    1000 * DAY,
];

/// A width that the user gave, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width(pub(crate) u64);

impl FromStr for Width {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Width, &'static str> {
        let width = nanoseconds(text.as_bytes()).filter(|&width| width >= MILLISECOND);
        width.map(Width).ok_or("expected seconds such as 10 or 0.5, at least 0.001")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_summed_finely_can_be_summed_to_every_round_width() {
        assert!(ROUND.is_sorted());
        for (at, fine) in FINE.into_iter().enumerate() {
            assert!(
                FINE[at..].iter().chain(&ROUND).all(|&it| it < fine || it.is_multiple_of(fine))
            );
        }
    }
}
