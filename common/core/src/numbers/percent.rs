//! Percentages on the command line.

use std::str::FromStr;

/// A share as a user writes it: `1%`, or `1` for the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(f64);

impl Percent {
    /// `1` of `1%`.
    #[must_use]
    pub fn percent(self) -> f64 {
        self.0
    }

    /// `0.01` of `1%`.
    #[must_use]
    pub fn fraction(self) -> f64 {
        self.0 / 100.0
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Percent, String> {
        let number = text.strip_suffix('%').unwrap_or(text).trim_end();
        match number.parse() {
            Ok(value) if (0.0..=100.0).contains(&value) => Ok(Percent(value)),
            _ => Err("expected a percentage from 0 to 100, such as 1%".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_may_have_its_sign_or_not() {
        for (text, value) in [("1%", 1.0), ("0.5", 0.5), ("100 %", 100.0), ("0%", 0.0)] {
            assert_eq!(text.parse(), Ok(Percent(value)), "{text}");
        }
        for text in ["", "%", "-1%", "101%", "nan", "inf", "1%%", "one"] {
            assert!(text.parse::<Percent>().is_err(), "{text}");
        }
    }
}
