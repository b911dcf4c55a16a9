//! Why a line is not a folded line.

use std::fmt;

/// Why a line is not a folded line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The text after the last space is not a number.
    NoCount,
    /// The text after the last space is a number such as `1.5` or `-3`.
    NotWhole,
    /// There is a number and nothing else, not even the space before a count.
    NoFrames,
    /// The count does not fit into 64 bits.
    CountTooLarge,
    /// A line that should end in two counts does not.
    NoTwoCounts,
    /// Two of the labels have the same key.
    KeyTwice,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = match self {
            Malformed::NoCount => "no count at the end",
            Malformed::NotWhole => "a count that is not a whole number",
            Malformed::NoFrames => "no frames before the count",
            Malformed::CountTooLarge => "a count over 18446744073709551615",
            Malformed::KeyTwice => "two labels of the same key",
            Malformed::NoTwoCounts => {
                return f.write_str("expected 'frame;frame before after', found no two counts");
            }
        };
        write!(f, "expected 'frame;frame count', found {found}")
    }
}
