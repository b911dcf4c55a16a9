//! Numbers as people read them.

use common::MINUS;

/// A share in percent. A small one never reads as 0%, and a part never as 100%.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match 100.0 * part as f64 / whole as f64 {
        _ if part == 0 => "0%".to_owned(),
        share if share < 0.05 => "less than 0.1%".to_owned(),
        share if share >= 99.95 && part < whole => "over 99.9%".to_owned(),
        share => format!("{share:.1}%"),
    }
}

/// The change from `before` to `after` as a share of `before`: `+50.0%`, `new`, `gone`.
pub(crate) fn change(before: u64, after: u64) -> String {
    let more = (after as f64 - before as f64) / before as f64 * 100.0;
    match (before, after) {
        (_, 0) => "gone".to_owned(),
        (0, _) => "new".to_owned(),
        _ if before == after => "\u{b1}0%".to_owned(),
        _ if more < 0.0 => format!("{MINUS}{:.1}%", -more),
        _ => format!("+{more:.1}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_nothing_or_all() {
        assert_eq!(percent(0, 10), "0%");
        assert_eq!(percent(1, 1_000_000), "less than 0.1%");
        assert_eq!(percent(7, 1000), "0.7%");
        assert_eq!(percent(999_999, 1_000_000), "over 99.9%");
        assert_eq!(percent(u64::MAX, u64::MAX), "100.0%");
    }

    #[test]
    fn changes_are_shares_of_what_was_before() {
        let texts = [(4, 6), (4, 3), (4, 4), (4, 0), (0, 4)].map(|(b, a)| change(b, a));
        assert_eq!(texts, ["+50.0%", "\u{2212}25.0%", "\u{b1}0%", "gone", "new"]);
    }
}
