//! How much time a column may stand for.

/// Nanoseconds of a millisecond.
pub const MILLISECOND: u64 = 1_000_000;
/// Nanoseconds of a second.
pub(super) const SECOND: u64 = 1_000 * MILLISECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The widths of columns in nanoseconds, round for people.
pub const ROUND: [u64; 36] = [
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

/// The least round width that fits, or the greatest if none fits.
#[must_use]
pub fn least_round(fits: impl Fn(u64) -> bool) -> u64 {
    ROUND.into_iter().find(|&width| fits(width)).unwrap_or(ROUND[ROUND.len() - 1])
}

/// The widths at which weights are summed before it is known how long a recording is:
/// each is a multiple of the one before, and so is every wider one of [`ROUND`].
pub(super) const FINE: [u64; 12] = [
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
