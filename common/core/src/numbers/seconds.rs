//! Times in seconds, as people and profilers write them, exact to the nanosecond.

use bstr::ByteSlice;

use crate::numbers::decimal;

/// Seconds in decimal, such as `525.936394`, in nanoseconds; what is shorter than a
/// nanosecond is cut off. `None` if the text is no such number, or too large.
#[must_use]
pub fn nanoseconds(seconds: &[u8]) -> Option<u64> {
    let (whole, fraction) = seconds.split_once_str(".").unwrap_or((seconds, b"0"));
    let digits = u32::try_from(fraction.len().min(9)).ok()?;
    let fraction = decimal(&fraction[..digits as usize])? * 10u64.pow(9 - digits);
    decimal(whole)?.checked_mul(1_000_000_000)?.checked_add(fraction)
}

/// The value of a label such as `since` in nanoseconds: seconds in decimal, or a floating number as
/// programs write it, such as `1e-06`. `None` if the text is no such number, or too large. A time
/// before the first sample, which samples of several processors may have, counts as 0.
#[must_use]
pub fn nanoseconds_of_label(value: &[u8]) -> Option<u64> {
    let (is_before, positive) = match value.strip_prefix(b"-") {
        Some(positive) => (true, positive),
        None => (false, value),
    };
    let time = nanoseconds(positive).or_else(|| nanoseconds_of_float(positive))?;
    Some(if is_before { 0 } else { time })
}

fn nanoseconds_of_float(text: &[u8]) -> Option<u64> {
    let seconds: f64 = text.to_str().ok()?.parse().ok()?;
    let time = (seconds * 1e9).round();
    let is_time = !text.starts_with(b"-") && (0.0..u64::MAX as f64).contains(&time);
    is_time.then_some(time as u64)
}

/// A number of nanoseconds in seconds, exact and without needless zeros: `12`, `0.35`.
#[must_use]
pub fn seconds(nanoseconds: u64) -> String {
    with_decimals(nanoseconds, 9)
}

/// A number of nanoseconds in milliseconds, exact and without needless zeros: `2.103538`.
#[must_use]
pub fn milliseconds(nanoseconds: u64) -> String {
    with_decimals(nanoseconds, 6)
}

/// The number with its last digits after a point, without zeros at its end.
fn with_decimals(number: u64, digits: usize) -> String {
    let one = 10_u64.pow(digits as u32);
    let (whole, fraction) = (number / one, number % one);
    if fraction == 0 {
        return whole.to_string();
    }
    format!("{whole}.{}", format!("{fraction:0digits$}").trim_end_matches('0'))
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
    fn times_of_labels_may_be_floating_numbers() {
        for (text, expected) in [
            ("525.936394", Some(525_936_394_000)),
            ("1e-06", Some(1_000)),
            ("1e3", Some(1_000_000_000_000)),
            ("+1", Some(1_000_000_000)),
            ("-0.5", Some(0)),
            ("-1e-06", Some(0)),
            ("1e30", None),
            ("--1", None),
            ("--0", None),
            ("-", None),
            ("", None),
            ("inf", None),
            ("nan", None),
            ("soon", None),
        ] {
            assert_eq!(nanoseconds_of_label(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn seconds_are_written_as_they_are_read() {
        for (time, text) in
            [(0, "0"), (1, "0.000000001"), (2_500_000_000, "2.5"), (60_000_000_000, "60")]
        {
            assert_eq!(seconds(time), text);
            assert_eq!(nanoseconds(text.as_bytes()), Some(time));
        }
        assert_eq!(nanoseconds(seconds(u64::MAX).as_bytes()), Some(u64::MAX));
        assert_eq!([2_103_538, 5_000_000, 10].map(milliseconds), ["2.103538", "5", "0.00001"]);
    }
}
