//! Colours of terminals, and when they are wanted.

use clap::ValueEnum;

use crate::io::Screen;

/// When an answer is shown in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that can show it, unless NO_COLOR is set
    Auto,
    /// Also into a pipe
    Always,
    /// Not at all
    Never,
}

impl Color {
    /// Whether what is written now should be coloured.
    #[must_use]
    pub fn is_wanted(self) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::env::var_os("TERM").is_some() && Screen::of_stdout().has_colors,
        }
    }
}

/// The number of the colour nearest to this one (red, green and blue), among the 256 colours of
/// terminals: a cube of 6 by 6 by 6, and 24 greys. The first 16 are not used, as they differ from
/// terminal to terminal.
#[must_use]
pub fn terminal_color(color: [u8; 3]) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let cube = (0..216u8).map(|index| {
        (16 + index, [index / 36, index / 6 % 6, index % 6].map(|level| LEVELS[level as usize]))
    });
    let greys = (0..24u8).map(|index| (232 + index, [8 + 10 * index; 3]));
    let distance = |other: [u8; 3]| -> u32 {
        color.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
    };
    let all = cube.chain(greys).min_by_key(|(_, other)| distance(*other));
    all.map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_the_nearest_of_a_terminal() {
        for (color, index) in [
            ([0, 0, 0], 16),
            ([255, 255, 255], 231),
            ([95, 135, 175], 67),
            ([228, 228, 228], 254),
            ([255, 220, 156], 223),
        ] {
            assert_eq!(terminal_color(color), index, "{color:?}");
        }
    }
}
