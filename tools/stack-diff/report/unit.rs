//! Numbers as people read them.

/// What the numbers of a table are.
#[derive(Clone, Debug)]
pub(crate) enum Unit {
    /// Shares of the whole.
    Percent,
    Weights(common::numbers::Unit),
}

impl Unit {
    /// What follows the title of a column of such numbers.
    pub(crate) fn title(&self) -> String {
        match self {
            Unit::Percent => " %".to_owned(),
            Unit::Weights(common::numbers::Unit::Things(name)) => format!(" {name}"),
            // Each number has its unit, or the unit is not known.
            Unit::Weights(_) => String::new(),
        }
    }

    /// A number that is not negative.
    pub(crate) fn number(&self, value: f64) -> String {
        match self {
            Unit::Percent => format!("{value:.2}"),
            Unit::Weights(unit) => unit.number(value.round() as u64),
        }
    }

    /// A difference, with its sign.
    pub(crate) fn signed(&self, value: f64) -> String {
        with_sign(value, &self.number(value.abs()))
    }
}

/// `text` with the sign of `value`. A text that reads as 0 has the sign `+`.
pub(crate) fn with_sign(value: f64, text: &str) -> String {
    let is_less = value < 0.0 && text.contains(|char| matches!(char, '1'..='9'));
    format!("{}{text}", if is_less { '-' } else { '+' })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_neither_more_nor_less() {
        let texts = [-0.001, 0.001, -0.126, 12.0].map(|value| Unit::Percent.signed(value));
        assert_eq!(texts, ["+0.00", "+0.00", "-0.13", "+12.00"]);
        let unit = Unit::Weights(common::numbers::Unit::named("ns"));
        assert_eq!([-1_240_000.0, 0.3].map(|value| unit.signed(value)), ["-1.24 ms", "+0 ns"]);
    }
}
