//! Decimal numbers, exactly: `0.1` seconds are 100,000,000 nanoseconds, which
//! floating point does not promise.

/// Further digits change no number that fits into 64 bits.
const MOST_DIGITS: u32 = 36;

/// A number such as `-12.5e-3`, times 10 to the power of `scale`, rounded to the nearest integer,
/// halves away from zero. `None` if it is not a number, such as `NaN`, or has more than 38 digits.
pub(crate) fn scaled(text: &[u8], scale: i32) -> Option<i128> {
    short(text, scale).or_else(|| any(text, scale))
}

/// The fast path of [`scaled`] for most numbers: below 10 to the power of 18, without rounding.
#[inline]
fn short(text: &[u8], scale: i32) -> Option<i128> {
    const POWERS: [i128; 13] = {
        let mut powers = [1; 13];
        let mut power = 1;
        while power < powers.len() {
            powers[power] = powers[power - 1] * 10;
            power += 1;
        }
        powers
    };
    let (mut digits, mut power, mut has_point) = (0u64, scale, false);
    if text.len() > 18 || !text.first()?.is_ascii_digit() {
        return None;
    }
    for &byte in text {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                power -= i32::from(has_point);
            }
            b'.' if !has_point => has_point = true,
            _ => return None,
        }
    }
    Some(i128::from(digits) * POWERS.get(usize::try_from(power).ok()?)?)
}

/// The slow path of [`scaled`], for any number.
fn any(text: &[u8], scale: i32) -> Option<i128> {
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mut digits, mut count, mut power) = (0u128, 0, scale);
    let (mut has_point, mut has_digit, mut at) = (false, false, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'0'..=b'9' => {
                has_digit = true;
                if count < MOST_DIGITS {
                    digits = digits * 10 + u128::from(byte - b'0');
                    count += u32::from(digits > 0);
                    power = power.checked_sub(i32::from(has_point))?;
                } else {
                    power = power.checked_add(i32::from(!has_point))?;
                }
            }
            b'.' if !has_point => has_point = true,
            b'e' | b'E' => break,
            _ => return None,
        }
        at += 1;
    }
    let exponent = match text.get(at + 1..) {
        Some(exponent) => std::str::from_utf8(exponent).ok()?.parse().ok()?,
        None => 0,
    };
    let rounded =
        if has_digit { shifted(digits, power.checked_add(exponent)?)? } else { return None };
    let rounded = i128::try_from(rounded).ok()?;
    Some(if is_negative { -rounded } else { rounded })
}

/// `digits` times 10 to the power of `power`, rounded.
fn shifted(digits: u128, power: i32) -> Option<u128> {
    let factor = 10u128.checked_pow(power.unsigned_abs());
    match factor {
        _ if digits == 0 => Some(0),
        Some(factor) if power >= 0 => digits.checked_mul(factor),
        Some(factor) => Some(digits / factor + u128::from(digits % factor >= factor.div_ceil(2))),
        None if power >= 0 => None,
        None => Some(0),
    }
}

/// Rounds numbers with fractions so that their sum is right: what rounding takes from one is added
/// to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Carry(i128);

impl Carry {
    /// `parts / whole`, rounded to an integer. `None` if `parts` is below zero or the result does
    /// not fit into 64 bits.
    pub(crate) fn round(&mut self, parts: i128, whole: i128) -> Option<u64> {
        let with_rest = parts.checked_add(self.0).filter(|_| parts >= 0)?;
        let rounded = with_rest.checked_add(whole / 2)?.div_euclid(whole);
        let weight = u64::try_from(rounded).ok()?;
        self.0 = with_rest - rounded * whole;
        Some(weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        for (text, scale, expected) in [
            ("0.1", 9, Some(100_000_000)),
            ("163140599286.5", 3, Some(163_140_599_286_500)),
            ("-12", 0, Some(-12)),
            ("1.5e-05", 9, Some(15_000)),
            ("1E3", 0, Some(1000)),
            ("1e+3", 0, Some(1000)),
            ("0.0000000005", 9, Some(1)),
            ("0.00000000049", 9, Some(0)),
            ("-0.5", 0, Some(-1)),
            ("18446744073709551615", 0, Some(u64::MAX.into())),
            ("0.300000000000000000000000000000000000000000000000001", 1, Some(3)),
            ("1e-999", 9, Some(0)),
            ("0e999", 9, Some(0)),
            ("1e999", 0, None),
            ("1e99999999999", 0, None),
            ("NaN", 0, None),
            ("-", 0, None),
            (".", 0, None),
            ("", 0, None),
            ("1.2.3", 0, None),
            ("1e", 0, None),
        ] {
            assert_eq!(scaled(text.as_bytes(), scale), expected, "{text}");
        }
    }

    #[test]
    fn rounding_keeps_the_sum() {
        let mut carry = Carry::default();
        let rounded: Vec<_> = [4; 10].iter().map(|&parts| carry.round(parts, 10)).collect();
        assert_eq!(rounded.into_iter().flatten().sum::<u64>(), 4);
        assert_eq!(carry.round(-1, 10), None);
        assert_eq!(carry.round(10i128.pow(30), 10), None);
        assert_eq!(carry.round(i128::MAX, 10), None);
    }
}
