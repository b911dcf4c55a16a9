//! Numbers: weights and shares as people read them, digits in text, times in seconds.

mod digits;
mod percent;
mod seconds;
mod shared;

pub use digits::{decimal, hexadecimal, is_digits};
pub use percent::Percent;
pub use seconds::{milliseconds, nanoseconds, nanoseconds_of_label, seconds};
pub use shared::shared;

/// As wide as a plus sign, which a hyphen is not.
pub const MINUS: char = '\u{2212}';

/// A number with commas between the thousands: `12,345`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things by their name in the plural: `2 samples`, `1 sample`.
#[must_use]
pub fn counted(number: u64, name: &str) -> String {
    match number {
        1 => format!("1 {}", singular(name)),
        _ => format!("{} {name}", grouped(number)),
    }
}

/// The singular of a word for what is counted: `sample`, `cache-miss`. A unit such as `ns` stays as
/// it is.
fn singular(name: &str) -> &str {
    let is_after_hiss = ["sses", "xes", "ches", "shes"].iter().any(|end| name.ends_with(end));
    let end = if is_after_hiss { "es" } else { "s" };
    match name.strip_suffix(end) {
        Some(one) if name.len() > 2 && (is_after_hiss || !one.ends_with('s')) => one,
        _ => name,
    }
}

/// A share in percent with two decimals: `12.34%`. It is 0 where the whole is 0.
#[must_use]
pub fn share(part: impl Into<u128>, whole: impl Into<u128>) -> String {
    format!("{:.2}%", percent(part.into(), whole.into()))
}

/// A share in percent for programs: a number with four decimals and no sign, `12.3400`.
#[must_use]
pub fn share_number(part: impl Into<u128>, whole: impl Into<u128>) -> String {
    format!("{:.4}", percent(part.into(), whole.into()))
}

fn percent(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// A share in percent with one decimal. A share above 0 is never shown as 0%, and one below the
/// whole never as 100%: `little` and `most` are shown instead.
#[must_use]
pub fn rounded_share(part: u64, whole: u64, [little, most]: [&str; 2]) -> String {
    match 100.0 * part as f64 / whole as f64 {
        _ if part == 0 => "0%".to_owned(),
        share if share < 0.05 => little.to_owned(),
        share if share >= 99.95 && part < whole => most.to_owned(),
        share => format!("{share:.1}%"),
    }
}

/// The unit of weights, which decides how they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Time: how many nanoseconds a weight of 1 means.
    Time(u64),
    /// Memory, in bytes.
    Bytes,
    /// Things that are counted, by their name in the plural: samples, cycles.
    Things(String),
    /// It is not known what the weights count.
    Unknown,
}

/// The names of units of time, and how many nanoseconds each has.
const TIMES: [(&str, u64); 13] = [
    ("ns", 1),
    ("nanosecond", 1),
    ("nanoseconds", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("microsecond", 1_000),
    ("microseconds", 1_000),
    ("ms", 1_000_000),
    ("millisecond", 1_000_000),
    ("milliseconds", 1_000_000),
    ("s", 1_000_000_000),
    ("second", 1_000_000_000),
    ("seconds", 1_000_000_000),
];

impl Unit {
    /// The unit of this name, such as `ns`, `bytes` or `samples`.
    #[must_use]
    pub fn named(name: &str) -> Unit {
        let time = TIMES.into_iter().find(|(known, _)| *known == name);
        match (time, name) {
            (Some((_, nanoseconds)), _) => Unit::Time(nanoseconds),
            (None, "bytes" | "byte" | "B") => Unit::Bytes,
            (None, "") => Unit::Unknown,
            (None, name) => Unit::Things(name.to_owned()),
        }
    }

    /// A weight without the name of what is counted, for a column of a table:
    /// `1.24 s`, `3.1 MiB`, `12,345`.
    #[must_use]
    pub fn number(&self, weight: u64) -> String {
        match self {
            Unit::Time(nanoseconds) => time(weight, *nanoseconds),
            Unit::Bytes => bytes(weight),
            Unit::Things(_) | Unit::Unknown => grouped(weight),
        }
    }

    /// A weight in words: `1.24 s`, `3.1 MiB`, `12,345 samples`.
    #[must_use]
    pub fn words(&self, weight: u64) -> String {
        match self {
            Unit::Things(name) => counted(weight, name),
            _ => self.number(weight),
        }
    }
}

/// Three digits, and the largest unit that needs no zero before the point.
fn time(weight: u64, nanoseconds: u64) -> String {
    let all = u128::from(weight) * u128::from(nanoseconds);
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")];
    let (size, name) = units.into_iter().find(|(size, _)| all >= *size).unwrap_or((1, "ns"));
    // What rounds to 1000 ms is 1.00 s.
    let (size, name) = match (size, name) {
        (1_000_000, _) if all >= 999_500_000 => (1_000_000_000, "s"),
        (1_000, _) if all >= 999_500 => (1_000_000, "ms"),
        unit => unit,
    };
    let number = all as f64 / size as f64;
    match number {
        _ if size == 1 => format!("{all} ns"),
        _ if number >= 999.5 => format!("{} s", grouped(number.round() as u64)),
        _ if number >= 99.95 => format!("{number:.0} {name}"),
        _ if number >= 9.995 => format!("{number:.1} {name}"),
        _ => format!("{number:.2} {name}"),
    }
}

/// One decimal, and the largest unit that needs no zero before the point.
fn bytes(weight: u64) -> String {
    const NAMES: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut number, mut name) = (weight as f64, 0);
    // What rounds to 1024.0 KiB is 1.0 MiB.
    while number >= 1023.95 {
        number /= 1024.0;
        name += 1;
    }
    if name == 0 { format!("{weight} B") } else { format!("{number:.1} {}", NAMES[name]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let texts = [0, 999, 1000, 123_456, u64::MAX].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn shares_have_two_decimals() {
        assert_eq!(
            [share(1_u64, 3_u64), share(0_u64, 0_u64), share(7_u64, 7_u64)],
            ["33.33%", "0.00%", "100.00%"]
        );
    }

    #[test]
    fn weights_are_shown_in_units_of_their_size() {
        for (unit, weight, text) in [
            ("ns", 0, "0 ns"),
            ("ns", 999, "999 ns"),
            ("ns", 1_000, "1.00 us"),
            ("ns", 1_236_000_000, "1.24 s"),
            ("nanoseconds", 9_996_000, "10.0 ms"),
            ("ns", 99_960_000, "100 ms"),
            ("ns", 999_499_999, "999 ms"),
            ("ns", 999_500_000, "1.00 s"),
            ("us", 12, "12.0 us"),
            ("s", 12_345, "12,345 s"),
            ("s", u64::MAX, "18,446,744,073,709,551,615 s"),
            ("bytes", 1023, "1023 B"),
            ("bytes", 1024, "1.0 KiB"),
            ("bytes", 3_250_586, "3.1 MiB"),
            ("bytes", 1_048_575, "1.0 MiB"),
            ("bytes", u64::MAX, "16.0 EiB"),
            ("samples", 12_345, "12,345 samples"),
            ("samples", 1, "1 sample"),
            ("cache-misses", 1, "1 cache-miss"),
            ("branches", 1, "1 branch"),
            ("page-faults", 0, "0 page-faults"),
            ("class", 1, "1 class"),
            ("xs", 1, "1 xs"),
            ("", 12_345, "12,345"),
        ] {
            assert_eq!(Unit::named(unit).words(weight), text, "{weight} {unit}");
        }
    }
}
