//! When memory must be in use to count: the value of `--live`.

use std::str::FromStr;

use common::numbers::nanoseconds;

/// A moment of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    /// This many nanoseconds after the start of the recording.
    At(u64),
    /// When memory in use first reached its maximum.
    Peak,
    /// When the recording ended.
    End,
}

impl FromStr for Live {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Live, &'static str> {
        match text {
            "peak" => Ok(Live::Peak),
            "end" => Ok(Live::End),
            seconds => nanoseconds(seconds.as_bytes())
                .map(Live::At)
                .ok_or("expected seconds such as 10 or 2.5, peak or end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_word_or_a_time() {
        assert_eq!("peak".parse(), Ok(Live::Peak));
        assert_eq!("end".parse(), Ok(Live::End));
        assert_eq!("2.5".parse(), Ok(Live::At(2_500_000_000)));
        for wrong in ["", "-1", "1s", "Peak", "all"] {
            assert!(wrong.parse::<Live>().is_err(), "{wrong:?}");
        }
    }
}
