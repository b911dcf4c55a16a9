//! Names of objects, files or functions, which are written out only once.

use common::{numbers::decimal, stacks::FrameTable};
use hashbrown::HashMap;

use crate::frame::known_name;

/// The names of one kind, which share their numbers.
pub(super) struct Names {
    texts: FrameTable,
    /// By the number in the file.
    by_number: HashMap<u64, Name>,
}

/// The index of a name among those of its kind.
pub(super) type Name = u32;

impl Default for Names {
    fn default() -> Names {
        let mut texts = FrameTable::default();
        // The first one: Names::NONE.
        texts.intern(b"");
        Names { texts, by_number: HashMap::new() }
    }
}

impl Names {
    /// The empty name.
    pub(super) const NONE: Name = 0;

    /// The name in `(12) main`, `(12)` or `main`; `None` for a number alone that has no name yet.
    pub(super) fn read(&mut self, text: &[u8]) -> Option<Name> {
        let text = text.trim_ascii_start();
        let Some((number, text)) = numbered(text) else { return Some(self.texts.intern(text)) };
        if text.is_empty() {
            return self.by_number.get(&number).copied();
        }
        let name = self.texts.intern(text);
        self.by_number.insert(number, name);
        Some(name)
    }

    /// The text of a name; empty where callgrind knows none and writes `???`.
    pub(super) fn text(&self, name: Name) -> &[u8] {
        known_name(self.texts.name(name))
    }
}

/// The number and the rest of `(12) main`; `(below main)` has no number.
fn numbered(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.strip_prefix(b"(")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let rest = digits[end..].strip_prefix(b")")?;
    Some((decimal(&digits[..end])?, rest.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_for_the_name_that_was_last_written_with_it() {
        let mut names = Names::default();
        for (text, expected) in [
            ("(1) main", Some("main")),
            ("(1)", Some("main")),
            ("(2)", None),
            ("main", Some("main")),
            ("(below main)", Some("(below main)")),
            ("(1) other", Some("other")),
            ("(1)", Some("other")),
            ("(3)(anonymous namespace)::f", Some("(anonymous namespace)::f")),
            ("()", Some("()")),
            ("(99999999999999999999) f", Some("(99999999999999999999) f")),
            ("???", Some("")),
            ("", Some("")),
        ] {
            let name = names.read(text.as_bytes());
            assert_eq!(name.map(|name| names.text(name)), expected.map(str::as_bytes), "{text}");
        }
    }
}
