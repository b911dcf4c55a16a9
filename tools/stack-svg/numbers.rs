//! Numbers as people read them.

/// A share in percent. A small one never reads as 0%, and a part never as 100%.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match 100.0 * part as f64 / whole as f64 {
        _ if part == 0 => "0%".to_owned(),
        share if share < 0.05 => "less than 0.1%".to_owned(),
        share if share >= 99.95 && part < whole => "over 99.9%".to_owned(),
        share => format!("{share:.1}%"),
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
}
