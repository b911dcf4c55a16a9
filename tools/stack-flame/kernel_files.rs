//! What the kernel says in its files, `/proc` and `/sys`.

use std::fs;

/// A file of the kernel; empty where it cannot be read.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The value in a line `Threads:\t3`.
pub(crate) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

/// How many numbers a list of the kernel has, as `0-3,8`.
pub(crate) fn length(list: &str) -> u64 {
    let length = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        Some(last.saturating_sub(first) + 1)
    };
    list.trim().split(',').filter_map(length).sum()
}

/// How many processors are in use.
pub(crate) fn processors() -> u64 {
    length(&read("/sys/devices/system/cpu/online"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_ranges_and_single_numbers() {
        for (list, expected) in [("0\n", 1), ("0-3\n", 4), ("0-3,8,10-11", 7), ("", 0)] {
            assert_eq!(length(list), expected, "{list:?}");
        }
        let status = "Name:\tx\nThreads:\t3\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n";
        assert_eq!(field(status, "Threads:"), Some("3"));
        assert_eq!(field(status, "Cpus_allowed_list:"), Some("0-7"));
        assert_eq!(field("", "Threads:"), None);
    }
}
