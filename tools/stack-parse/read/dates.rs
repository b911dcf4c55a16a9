//! Dates and times of the clock, as programs print them.

use bstr::ByteSlice;
use common::numbers::{decimal, nanoseconds};

/// `2026-11-20T19:31:20.123456Z`, `2026-11-20T19:31+01:00` in nanoseconds since 1970.
pub(crate) fn instant(text: &[u8]) -> Option<u64> {
    let (day, rest) = text.split_once_str("T")?;
    let zone = rest.rfind_byteset(b"Z+-")?;
    let (clock, zone) = rest.split_at(zone);
    let time = time_of(day, clock)?;
    let (sign, zone) = zone.split_first()?;
    if *sign == b'Z' {
        return zone.is_empty().then_some(time);
    }
    let (hours, minutes) = zone.split_once_str(":")?;
    let minutes = decimal(hours)?.checked_mul(60)?.checked_add(decimal(minutes)?)?;
    let offset = minutes.checked_mul(60_000_000_000)?;
    if *sign == b'+' { time.checked_sub(offset) } else { time.checked_add(offset) }
}

/// A day and a time of that day, `2026-11-20` and `19:31:20.123`, in nanoseconds since 1970 as if
/// it were UTC; Java leaves out seconds that are 0.
pub(crate) fn time_of(day: &[u8], clock: &[u8]) -> Option<u64> {
    let (clock, fraction) = clock.split_once_str(".").unwrap_or((clock, b"0"));
    let seconds: &[u8] = if clock.len() == 5 { b":00" } else { b"" };
    let time = date(&[day, b" ", clock, seconds].concat())?;
    time.checked_add(nanoseconds(&[b"0.", fraction].concat())?)
}

/// `2026-11-20 19:31:20` in nanoseconds since 1970, as if it were UTC.
pub(crate) fn date(line: &[u8]) -> Option<u64> {
    let parts: Vec<&[u8]> = line.trim_ascii_end().split(|byte| b"- :".contains(byte)).collect();
    let lengths = parts.iter().map(|part| part.len());
    if !lengths.eq([4, 2, 2, 2, 2, 2]) {
        return None;
    }
    let [year, month, day, hour, minute, second] =
        <[u64; 6]>::try_from(parts.into_iter().map(decimal).collect::<Option<Vec<_>>>()?).ok()?;
    if year < 1970 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 1 March of the year 0; January and February belong to the year before.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1;
    let seconds = (days - 719_468) * 86_400 + hour * 3600 + minute * 60 + second;
    // Years after 2554 do not fit into 64 bits.
    seconds.checked_mul(1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_have_zones_and_fractions() {
        for (text, nanoseconds) in [
            ("1970-01-01T00:00:01.25Z", Some(1_250_000_000)),
            ("1970-01-01T00:01Z", Some(60_000_000_000)),
            ("1970-01-01T01:00:00.000000001+01:00", Some(1)),
            ("1970-01-01T00:00:00-00:30", Some(1_800_000_000_000)),
            ("1970-01-01T00:00:00+01:00", None),
            ("1970-01-01T00:00:00", None),
            ("1970-01-01T00:00:00.xZ", None),
            ("1970-01-01 00:00:00Z", None),
        ] {
            assert_eq!(instant(text.as_bytes()), nanoseconds, "{text}");
        }
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        for (text, seconds) in [
            ("1970-01-01 00:00:00", Some(0)),
            ("2000-02-29 12:00:01", Some(951_825_601)),
            ("2026-11-20 19:31:20", Some(1_795_203_080)),
            ("2026-13-20 19:31:20", None),
            ("9026-11-20 19:31:20", None),
            ("2026-11-20", None),
            ("Full thread dump", None),
        ] {
            let expected = seconds.map(|seconds: u64| seconds * 1_000_000_000);
            assert_eq!(date(text.as_bytes()), expected, "{text}");
        }
    }
}
