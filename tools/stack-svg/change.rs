//! What changed from one profile to another: words and colours.

use common::numbers::MINUS;
use inferno::flamegraph::color::Color;

/// From gone (blue) over unchanged to new (orange). Everyone can tell blue and orange apart, and
/// both are darker the further they are from the middle.
pub(crate) const COLORS: [Color; 9] = [
    Color { r: 88, g: 152, b: 208 },
    Color { r: 128, g: 178, b: 221 },
    Color { r: 168, g: 203, b: 232 },
    Color { r: 205, g: 224, b: 240 },
    Color { r: 234, g: 234, b: 234 },
    Color { r: 251, g: 222, b: 190 },
    Color { r: 247, g: 196, b: 139 },
    Color { r: 240, g: 168, b: 92 },
    Color { r: 230, g: 139, b: 48 },
];

/// Also for changes that noise explains.
pub(crate) const UNCHANGED: Color = COLORS[COLORS.len() / 2];

/// What the colours mean.
pub(crate) const LEGEND: [(Color, &str); 5] = [
    (COLORS[0], "gone"),
    (COLORS[2], "less"),
    (UNCHANGED, "as before, or noise"),
    (COLORS[6], "more"),
    (COLORS[8], "new"),
];

/// Smaller changes, as a share of both weights, may be chance.
const LEAST_CHANGE: f64 = 0.02;

/// How the weights of two profiles are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    /// The weight in the second profile that is equal to a weight of 1 in the first.
    scale: f64,
}

impl Comparison {
    /// Compares weights as they are.
    pub(crate) const OF_WEIGHTS: Comparison = Comparison { scale: 1.0 };

    /// Compares shares of the whole, or weights if one profile weighs nothing.
    pub(crate) fn of_shares(before: u64, after: u64) -> Comparison {
        let scale = if before > 0 && after > 0 { after as f64 / before as f64 } else { 1.0 };
        Comparison { scale }
    }

    /// Whether the weights are compared as they are.
    pub(crate) fn is_of_weights(self) -> bool {
        self.scale == 1.0
    }

    /// The change as a share of `before`: `+50.0%`, `new`, `gone`.
    pub(crate) fn words(self, before: u64, after: u64) -> String {
        let first = before as f64 * self.scale;
        let more = (after as f64 - first) / first * 100.0;
        match (before, after) {
            (_, 0) => "gone".to_owned(),
            (0, _) => "new".to_owned(),
            _ if more.abs() < 0.05 => "\u{b1}0%".to_owned(),
            _ if more < 0.0 => format!("{MINUS}{:.1}%", -more),
            _ => format!("+{more:.1}%"),
        }
    }

    /// The colour of the change.
    pub(crate) fn color(self, before: u64, after: u64) -> Color {
        let (first, after) = (before as f64 * self.scale, after as f64);
        let middle = (COLORS.len() / 2) as f64;
        let change = (after - first) / (first + after);
        let steps = if change.abs() < LEAST_CHANGE { 0.0 } else { (change.abs() * middle).ceil() };
        COLORS[(middle + steps.copysign(change)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::hex;

    #[test]
    fn changes_are_shares_of_what_was_before() {
        let table = [(4, 6), (4, 3), (4, 4), (4, 0), (0, 4), (10_000, 10_001)];
        let texts = table.map(|(before, after)| Comparison::OF_WEIGHTS.words(before, after));
        assert_eq!(texts, ["+50.0%", "\u{2212}25.0%", "\u{b1}0%", "gone", "new", "\u{b1}0%"]);
        // The second profile is twice as long.
        let shares = Comparison::of_shares(100, 200);
        let texts = [(4, 6), (3, 6), (4, 16), (4, 0), (0, 4)].map(|(b, a)| shares.words(b, a));
        assert_eq!(texts, ["\u{2212}25.0%", "\u{b1}0%", "+100.0%", "gone", "new"]);
        assert!(Comparison::of_shares(0, 5).is_of_weights());
    }

    #[test]
    fn what_changed_has_a_colour() {
        let table = [
            (1, 0, 0),
            (100, 40, 2),
            (100, 95, 3),
            (100, 97, 4),
            (100, 100, 4),
            (100, 103, 4),
            (100, 105, 5),
            (100, 180, 6),
            (0, u64::MAX, 8),
        ];
        for (before, after, place) in table {
            let color = Comparison::OF_WEIGHTS.color(before, after);
            assert_eq!(hex(color), hex(COLORS[place]), "{before} {after}");
            let color = Comparison::of_shares(10, 10).color(before, after);
            assert_eq!(hex(color), hex(COLORS[place]), "{before} {after}");
        }
        assert_eq!(hex(Comparison::of_shares(1, 3).color(100, 300)), hex(COLORS[4]));
    }
}
