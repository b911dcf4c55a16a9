//! Numbers for the script, in base 32.

/// Digits of numbers in base 32, the lowest first. The last digit of a number is
/// from the first half, all others are from the second half, so that a number
/// shows where it ends. None of them is special in XML.
const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

/// Appends a number in base 32.
pub(crate) fn push_number(mut number: u64, text: &mut String) {
    while number > 31 {
        text.push(char::from(DIGITS[32 + (number & 31) as usize]));
        number >>= 5;
    }
    text.push(char::from(DIGITS[number as usize]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_end_by_themselves() {
        let mut text = String::new();
        for number in [0, 31, 32, 1023, u64::MAX] {
            push_number(number, &mut text);
        }
        assert_eq!(text, "0vw1_v____________f");
    }
}
