//! `--min-width`: how wide a frame must be to be drawn without the script.

use std::str::FromStr;

/// The width below which a frame is left out of the static picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MinWidth {
    Pixels(f64),
    Percent(f64),
}

impl FromStr for MinWidth {
    type Err = String;

    /// `0.1` is pixels, `0.1%` a share of the whole weight.
    fn from_str(text: &str) -> Result<MinWidth, String> {
        let (number, unit): (_, fn(f64) -> MinWidth) = match text.strip_suffix('%') {
            Some(percent) => (percent, MinWidth::Percent),
            None => (text, MinWidth::Pixels),
        };
        match number.trim_end().parse() {
            Ok(value) if (0.0..=1e9).contains(&value) => Ok(unit(value)),
            _ => Err("expected pixels such as 0.1, or a share such as 0.1%".to_owned()),
        }
    }
}

impl MinWidth {
    /// The width as a share of the whole picture, which is `pixels` wide.
    pub(crate) fn share_of(self, pixels: usize) -> f64 {
        match self {
            MinWidth::Pixels(width) => width / pixels as f64,
            MinWidth::Percent(percent) => percent / 100.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_pixels_or_percent() {
        assert_eq!("0.1".parse(), Ok(MinWidth::Pixels(0.1)));
        assert_eq!("2%".parse(), Ok(MinWidth::Percent(2.0)));
        for wrong in ["", "%", "px", "-1", "NaN", "inf", "1%%"] {
            assert!(wrong.parse::<MinWidth>().is_err(), "{wrong}");
        }
        assert_eq!(MinWidth::Pixels(1.0).share_of(1000), 0.001);
        assert_eq!(MinWidth::Percent(0.1).share_of(1000), 0.001);
    }
}
