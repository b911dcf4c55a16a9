//! Whole numbers as programs print them: the one parser of decimal digits, and the one
//! of hexadecimal digits.

/// Every number of this many decimal digits fits into 64 bits.
const ALWAYS_FIT: usize = 19;

/// Whether this is a number in decimal, however large.
#[must_use]
pub fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// A number in decimal, such as `853`: digits and nothing else. `None` if it is no such
/// number, or one that does not fit into 64 bits.
#[inline]
#[must_use]
pub fn decimal(text: &[u8]) -> Option<u64> {
    if !is_digits(text) {
        return None;
    }
    let mut digits = text.iter().map(|digit| u64::from(digit - b'0'));
    if text.len() <= ALWAYS_FIT {
        return Some(digits.fold(0, |number, digit| number * 10 + digit));
    }
    digits.try_fold(0u64, |number, digit| number.checked_mul(10)?.checked_add(digit))
}

/// A number in hexadecimal, such as `7f4c593162ec` or `0x7F4C593162EC`. `None` if it is no
/// such number, or one that does not fit into 64 bits.
#[must_use]
pub fn hexadecimal(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, &byte| {
        let digit = char::from(byte).to_digit(16)?;
        number.checked_mul(16)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_are_numbers() {
        assert_eq!(decimal(b"853"), Some(853));
        assert_eq!(hexadecimal(b"0x1F"), Some(31));
        assert_eq!(hexadecimal(b"1f"), Some(31));
        for text in ["", "+1", "-1", "0x", "1 ", "g", "0x0x1", "1_0"] {
            assert_eq!(decimal(text.as_bytes()), None, "{text:?}");
            assert_eq!(hexadecimal(text.as_bytes()), None, "{text:?}");
            assert!(!is_digits(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn numbers_of_64_bits_are_exact() {
        for (text, expected) in [
            ("9999999999999999999", Some(9_999_999_999_999_999_999)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("20000000000000000000", None),
            ("100000000000000000000", None),
            ("0000000000000000000000000000018446744073709551615", Some(u64::MAX)),
        ] {
            assert_eq!(decimal(text.as_bytes()), expected, "{text}");
            assert!(is_digits(text.as_bytes()), "{text}");
        }
        assert_eq!(hexadecimal(b"ffffffffffffffff"), Some(u64::MAX));
        assert_eq!(hexadecimal(b"0x0ffffffffffffffff"), Some(u64::MAX));
        assert_eq!(hexadecimal(b"10000000000000000"), None);
    }
}
