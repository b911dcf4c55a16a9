//! The titles of boxes, which a viewer shows for the box under the mouse.

use bstr::ByteSlice;

use crate::read::numbers::grouped;

/// The parts of a box's title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Title<'a> {
    pub(super) name: &'a [u8],
    /// The weight of the frame with all frames that it called.
    pub(super) total: u64,
    /// `samples`
    pub(super) unit: &'a [u8],
    /// Whether it has `100%`, as only the whole picture does: all others have two decimals.
    pub(super) is_whole: bool,
    /// Whether there are two counts, of which this is the second.
    pub(super) has_two_counts: bool,
}

impl<'a> Title<'a> {
    /// Parses the title of a box; `None` if it has no count.
    ///
    /// ```text
    /// read (1,234 samples, 5.60%)
    /// read (1,234 samples, 5.60%; +0.31%)             flamegraph.pl with two counts
    /// f (int) (100 counts before, 50 after: -50.0%)   stack-svg --diff
    /// ```
    ///
    /// A name may look like a title itself, so the last count is that of the box.
    pub(super) fn parse(title: &'a [u8]) -> Option<Title<'a>> {
        let inner = title.trim_ascii_end().strip_suffix(b")")?;
        let mut end = inner.len();
        while let Some(at) = inner[..end].rfind(b" (") {
            if let Some((total, rest)) = count(&inner[at + 2..]) {
                return Some(Title::new(&inner[..at], total, rest));
            }
            end = at;
        }
        None
    }

    /// A title from its name, its first count, and the rest of the text.
    fn new(name: &'a [u8], total: u64, rest: &'a [u8]) -> Title<'a> {
        if let Some((unit, second)) = rest.split_once_str(" before, ")
            && let Some((total, _)) = count(second)
        {
            let unit = unit.trim_ascii();
            return Title { name, total, unit, is_whole: false, has_two_counts: true };
        }
        let unit = rest.rsplit_once_str(",").map_or(rest, |(unit, _)| unit).trim_ascii();
        let is_whole = rest.ends_with(b" 100%");
        Title { name, total, unit, is_whole, has_two_counts: false }
    }
}

/// The title in `s('read (7 samples, 5.60%)')`, which a box runs when the mouse is over it.
pub(super) fn of_handler(handler: &[u8]) -> Option<Vec<u8>> {
    let text = handler.strip_prefix(b"s('")?.strip_suffix(b"')")?;
    let mut title = Vec::with_capacity(text.len());
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        let escaped = (byte == b'\\').then(|| rest.next_if(|next| matches!(next, b'\'' | b'\\')));
        title.push(escaped.flatten().unwrap_or(byte));
    }
    Some(title)
}

/// Parses `1,234 samples`: returns the number and the text after it.
fn count(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().take_while(|&&byte| byte.is_ascii_digit() || byte == b',').count();
    let (number, rest) = text.split_at(length);
    // The comma after a number without a unit is not a part of the number.
    let rest = if number.ends_with(b",") { &text[length - 1..] } else { rest };
    matches!(rest.first(), None | Some(b' ' | b',')).then_some(())?;
    Some((grouped(number)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_a_name_and_a_count() {
        for (title, name, total, unit) in [
            ("read (1,234 samples, 5.60%)", "read", 1234, "samples"),
            ("read (12 ms, 5.60%; -0.31%)", "read", 12, "ms"),
            ("f (3 samples, 1%) (5 samples, 0.10%)", "f (3 samples, 1%)", 5, "samples"),
            ("std::f(int, char) (1 ms (wall), 1%)", "std::f(int, char)", 1, "ms (wall)"),
            ("a (b)  (7 a, b, 1%)", "a (b) ", 7, "a, b"),
            (" (7 samples, 1%)", "", 7, "samples"),
            ("f (7, 1.00%)", "f", 7, ""),
            ("f (7 , 1.00%)", "f", 7, ""),
            ("f (1,000 bytes before, 2,500 after: +150.0%)", "f", 2500, "bytes"),
            ("f (1 count before, 0 after: gone)", "f", 0, "count"),
        ] {
            let found = Title::parse(title.as_bytes()).expect(title);
            assert_eq!((found.name, found.total), (name.as_bytes(), total), "{title}");
            assert_eq!((found.unit, found.is_whole), (unit.as_bytes(), false), "{title}");
            assert_eq!(found.has_two_counts, title.contains(" before, "), "{title}");
        }
        assert!(Title::parse(b"all (7 samples, 100%)").is_some_and(|title| title.is_whole));
    }

    #[test]
    fn another_title_has_no_count() {
        for title in
            ["", "Flame Graph", "f (int)", "f (7x, 1%)", "f (99999999999999999999 s, 1%)", "f (,)"]
        {
            assert_eq!(Title::parse(title.as_bytes()), None, "{title}");
        }
    }
}
