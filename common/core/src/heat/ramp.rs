//! The ramp of heat: the colours of the shades, in pictures, in styles and on terminals.

use crate::io::terminal_color;

/// How many shades there are.
pub const SHADES: usize = 8;

/// The shades on light paper, the palest first.
pub const COLORS: [&str; SHADES] =
    ["#ffecc7", "#ffd890", "#ffbc5c", "#fb983a", "#ec6f25", "#d04716", "#a5270f", "#6d0f0c"];

/// The shades on dark paper, the palest first: there, heat is light.
const DARK_COLORS: [&str; SHADES] =
    ["#3b2417", "#5c2f17", "#853d18", "#b14f1a", "#d96b22", "#f0913f", "#fbbd70", "#ffeac2"];

/// The number of a shade's colour among the 256 colours of terminals. `shade` counts from 1.
#[must_use]
pub fn terminal_shade(shade: usize) -> u8 {
    let color = COLORS[shade - 1];
    let parts = [1, 3, 5].map(|at| u8::from_str_radix(&color[at..at + 2], 16));
    terminal_color(parts.map(|part| part.expect("two digits")))
}

/// A style sheet with the colours of the shades in place of their names: `LIGHT1` to `LIGHT8` on
/// light paper, `DARK1` to `DARK8` on dark paper.
#[must_use]
pub fn with_ramp(style: &str) -> String {
    let mut style = style.to_owned();
    for (shade, (light, dark)) in (1..).zip(COLORS.iter().zip(DARK_COLORS)) {
        style = style.replace(&format!("LIGHT{shade}"), light);
        style = style.replace(&format!("DARK{shade}"), dark);
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shade_has_a_colour_of_its_own_on_a_terminal() {
        let colors: Vec<u8> = (1..=SHADES).map(terminal_shade).collect();
        assert_eq!(colors, [230, 222, 215, 209, 202, 166, 124, 52]);
    }

    #[test]
    fn styles_name_shades() {
        let style = with_ramp("--s1: LIGHT1; --s8: light-dark(LIGHT8, DARK8);");
        assert_eq!(style, "--s1: #ffecc7; --s8: light-dark(#6d0f0c, #ffeac2);");
    }
}
