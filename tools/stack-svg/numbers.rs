//! Numbers as people read them.

use common::numbers::rounded_share;

/// A share in percent. A small one never reads as 0%, and a part never as 100%.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    rounded_share(part, whole, ["less than 0.1%", "over 99.9%"])
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
}
