//! The line that ends an interval of a profile that is still being recorded.
//!
//! ```text
//! main;parse 3
//! # end 2.000
//! main;parse 5
//! main;write 1
//! # end 4.000
//! ```

use std::time::Duration;

const START: &[u8] = b"# end ";

/// The line that ends an interval, without the LF; `since_first` is the time from the first sample
/// to this end.
#[must_use]
pub fn end_line(since_first: Duration) -> Vec<u8> {
    [START, format!("{:.3}", since_first.as_secs_f64()).as_bytes()].concat()
}

/// Whether a line ends an interval: there filters must write out what they hold back.
pub(crate) fn is_end_line(line: &[u8]) -> bool {
    let is_decimal = |seconds: &[u8]| {
        let is_part_of_it = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        seconds.first().is_some_and(u8::is_ascii_digit) && seconds.iter().all(is_part_of_it)
    };
    line.strip_prefix(START).is_some_and(is_decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_recognised() {
        for (milliseconds, line) in
            [(0, "# end 0.000"), (2_000, "# end 2.000"), (61_007, "# end 61.007")]
        {
            assert_eq!(end_line(Duration::from_millis(milliseconds)), line.as_bytes());
            assert!(is_end_line(line.as_bytes()), "{line}");
        }
        assert!(is_end_line(b"# end 2"));
    }

    #[test]
    fn other_comments_end_nothing() {
        for line in
            ["# end", "# end ", "# end of file", "# ended 2", "#end 2", "# end 2 s", "# end .5"]
        {
            assert!(!is_end_line(line.as_bytes()), "{line}");
        }
    }
}
