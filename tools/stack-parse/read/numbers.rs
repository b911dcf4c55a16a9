//! Numbers with separators, as programs print them for people, and hexadecimal digits.

use common::numbers::decimal;

/// `853`, `59,542,424`: digits, with commas anywhere between them.
pub(crate) fn grouped(text: &[u8]) -> Option<u64> {
    let digits: Vec<u8> = text.iter().copied().filter(|&byte| byte != b',').collect();
    decimal(&digits)
}

/// `4.93`, or `4,93` in other countries, times `unit`, rounded; also `1,234.5`. `None` if it is not
/// such a number or does not fit.
pub(crate) fn scaled(text: &[u8], unit: u64) -> Option<u64> {
    let separator = text.iter().rposition(|byte| matches!(byte, b'.' | b','));
    // `1,234` are thousands, `1.234` is not.
    let separator = separator.filter(|&at| text[at] == b'.' || text.len() - at != 4);
    let (whole, fraction) = match separator {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &b""[..]),
    };
    let is_digit = |byte: &u8| !matches!(byte, b',' | b'.');
    let whole: Vec<u8> = whole.iter().copied().filter(is_digit).collect();
    // Further digits do not matter: numbers of 64 bits have at most 20.
    let fraction = &fraction[..fraction.len().min(18)];
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let power = 10u128.pow(fraction.len() as u32);
    let whole = if whole.is_empty() { 0 } else { decimal(&whole)? };
    let parts = if fraction.is_empty() { 0 } else { decimal(fraction)? };
    let number = (u128::from(whole) * power + u128::from(parts)).checked_mul(unit.into())?;
    u64::try_from((number + power / 2) / power).ok()
}

/// `8a2b…`
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_scaled_exactly() {
        for (text, unit, expected) in [
            ("4.93", 1_000_000_000, Some(4_930_000_000)),
            ("4,93", 1_000_000_000, Some(4_930_000_000)),
            ("4273.0", 1_000_000, Some(4_273_000_000)),
            ("1,234", 1, Some(1234)),
            ("2,893,824", 1, Some(2_893_824)),
            ("1,234.5", 10, Some(12345)),
            ("1.234,5", 10, Some(12345)),
            ("0.0004", 1000, Some(0)),
            ("0.0005", 1000, Some(1)),
            (".5", 2, Some(1)),
            ("12", 3, Some(36)),
            ("18446744073709551615", 1, Some(u64::MAX)),
            ("18446744073709551616", 1, None),
            ("18446744073709551615", 2, None),
            ("", 1, None),
            (".", 1, None),
            ("-1", 1, None),
            ("1e3", 1, None),
            ("nan", 1, None),
        ] {
            assert_eq!(scaled(text.as_bytes(), unit), expected, "{text} {unit}");
        }
    }
}
