//! Lines of source for people.

use bstr::ByteSlice;
use console::measure_text_width;

use crate::names::printable;

/// How wide a tab is, as on terminals.
const TAB: usize = 8;

/// A line of source as it is shown: tabs as spaces, and no escapes of a terminal.
#[must_use]
pub fn readable(text: &[u8]) -> String {
    let mut shown = String::new();
    for (index, part) in text.split_str("\t").enumerate() {
        if index > 0 {
            let fill = TAB - measure_text_width(&shown) % TAB;
            shown.push_str(&" ".repeat(fill));
        }
        shown.push_str(&printable(part));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_spaces_and_controls_are_escaped() {
        for (text, expected) in [
            ("\tif\ta", "        if      a"),
            ("ab\t\tc", "ab              c"),
            ("a \x1b[31m\r", r"a \x1B[31m\x0D"),
        ] {
            assert_eq!(readable(text.as_bytes()), expected);
        }
        assert_eq!(readable(b"caf\xe9"), r"caf\xE9");
    }
}
