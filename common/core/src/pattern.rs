//! Patterns as a user types them: any bytes, where the regex crates take text.

mod finder;
mod glob;
mod in_frames;

use std::ffi::OsString;
use std::fmt::{Display, Write};

use crate::{Error, io::lines, names::printable};

pub use finder::Finder;
pub use glob::Glob;
pub use in_frames::{
    PatternSyntax, compile_patterns, compile_whole_patterns, literal_pattern, looks_ahead,
    mentions_mark,
};

/// How a tool reads its patterns, as options of grep.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct PatternArgs {
    /// Take upper and lower case as equal in patterns
    #[arg(short, long)]
    pub ignore_case: bool,

    /// Take patterns as plain text, not as regular expressions
    #[arg(short = 'F', long)]
    pub fixed_strings: bool,

    /// Match whole words only
    #[arg(short, long)]
    pub word_regexp: bool,
}

impl PatternArgs {
    /// The syntax of patterns that see one frame at a time.
    #[must_use]
    pub fn syntax(self) -> PatternSyntax {
        let PatternArgs { ignore_case, fixed_strings, word_regexp } = self;
        PatternSyntax { ignore_case, fixed_strings, word_regexp, whole_stack: false }
    }
}

/// The patterns that options such as `-e` give: one on each line of a value, as grep reads them.
#[must_use]
pub fn patterns_in(given: &[OsString]) -> Vec<Vec<u8>> {
    given.iter().flat_map(|given| patterns_of(given.as_encoded_bytes())).collect()
}

/// The patterns in a text, one on each line, as grep reads them.
pub fn patterns_of(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    // A list from Windows ends lines with CR LF, and no folded line holds a CR.
    lines(text).map(<[u8]>::to_vec)
}

/// A pattern as the regex crates take it; a byte that is not UTF-8 becomes
/// `(?-u:\xNN)`, so that any name in a profile can be searched for.
#[must_use]
pub fn pattern_text(pattern: &[u8]) -> String {
    let mut text = String::with_capacity(pattern.len());
    for chunk in pattern.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(text, r"(?-u:\x{byte:02x})").expect("a String takes everything");
        }
    }
    text
}

/// The error for a pattern that the regex crates refuse. Their own message draws
/// the pattern over several lines; its last part is `error: ` and the reason.
#[must_use]
pub fn bad_pattern(pattern: &[u8], error: &impl Display) -> Error {
    let error = error.to_string();
    let reason = error.rsplit("error: ").next().unwrap_or(&error);
    let pattern = printable(pattern);
    Error::Usage(format!("pattern '{pattern}': {}", reason.trim_end_matches(['.', '\n'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_and_other_bytes_are_escaped() {
        assert_eq!(pattern_text("^caf\u{e9}$".as_bytes()), "^caf\u{e9}$");
        assert_eq!(pattern_text(b"Map\xbal"), r"Map(?-u:\xba)l");
        assert_eq!(pattern_text(b"\xff\xad"), r"(?-u:\xff)(?-u:\xad)");
    }

    #[test]
    fn the_reason_is_one_line() {
        let error = "regex parse error:\n    a(\n     ^\nerror: unclosed group";
        assert_eq!(bad_pattern(b"a(", &error).to_string(), "pattern 'a(': unclosed group");
    }
}
