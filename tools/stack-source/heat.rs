//! Colours: the hotter a line, the darker its numbers.

use common::heat::{Shades, terminal_shade};
use common::stacks::FrameWeights;

/// From this shade on, light letters are easier to read.
const DARK: usize = 6;

/// Black and white of the 256 colours.
const BLACK: u8 = 16;
const WHITE: u8 = 231;

/// The shades of both columns.
pub(crate) struct Heat {
    pub(crate) own: Shades,
    pub(crate) total: Shades,
}

impl Heat {
    /// The shades of all lines that are listed, so that one colour means the same in all listings.
    pub(crate) fn of(lines: impl Iterator<Item = FrameWeights> + Clone) -> Heat {
        Heat {
            own: Shades::of(lines.clone().map(|weights| weights.self_weight).collect()),
            total: Shades::of(lines.map(|weights| weights.total).collect()),
        }
    }
}

/// The number `text` in the colour of this weight.
pub(crate) fn painted(shades: &Shades, weight: u64, text: &str) -> String {
    let shade = shades.of_weight(weight);
    if shade == 0 {
        return text.to_owned();
    }
    let letters = if shade < DARK { BLACK } else { WHITE };
    let paper = terminal_shade(shade);
    format!("\x1b[38;5;{letters};48;5;{paper}m{text}\x1b[0m")
}
