//! A part of what was recorded, as header lines have it.

use bstr::ByteSlice;

use super::ungrouped;
use crate::numbers::grouped;

/// How many of all samples, or of another unit, have a property: `12 of 900 samples`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    part: u64,
    all: u64,
    /// In the plural.
    unit: Vec<u8>,
}

impl Part {
    /// `part` of `all`; `unit` is what they count, in the plural.
    #[must_use]
    pub fn new(part: u64, all: u64, unit: &[u8]) -> Part {
        Part { part, all, unit: unit.to_vec() }
    }

    /// Reads `12 of 900 samples`. `None` for other text.
    pub(super) fn parse(text: &[u8]) -> Option<Part> {
        let (part, rest) = text.split_once_str(" of ")?;
        let (all, unit) = rest.split_once_str(" ")?;
        Some(Part { part: ungrouped(part)?, all: ungrouped(all)?, unit: unit.to_vec() })
    }

    /// The sums of both numbers; `None` if the units differ or a sum is over 64 bits.
    pub(super) fn plus(&self, other: &Part) -> Option<Part> {
        let part = self.part.checked_add(other.part)?;
        let all = self.all.checked_add(other.all)?;
        (self.unit == other.unit).then(|| Part { part, all, unit: self.unit.clone() })
    }

    /// How many have the property.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.part
    }

    /// How many there are of all.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.all
    }

    /// The share of all that has the property, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.all == 0 { 0.0 } else { self.part as f64 / self.all as f64 }
    }

    /// The text that is read again: `12 of 8,100 frames`.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        let numbers = format!("{} of {} ", grouped(self.part), grouped(self.all));
        [numbers.as_bytes(), &self.unit].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_written_as_it_is_read() {
        for text in ["12 of 900 samples", "30 of 8,100 frames", "0 of 0 samples"] {
            let part = Part::parse(text.as_bytes()).expect("a part");
            assert_eq!(part.text().as_bstr(), text);
        }
        assert_eq!(Part::parse(b"30 of 8100 frames"), Some(Part::new(30, 8100, b"frames")));
        for text in ["12 samples", "12 of 900", "x of 900 samples", "-1 of 900 samples", ""] {
            assert_eq!(Part::parse(text.as_bytes()), None, "{text}");
        }
    }
}
