//! One line of an input, and how it is parsed.

use crate::folded::{FoldedLine, Malformed, clean_text, would_be_comment};
use crate::io::line_ends::has_control;

/// A line that is not empty, and its number in its input.
pub(super) struct Line<'a> {
    pub(super) text: &'a [u8],
    pub(super) input: &'a str,
    pub(super) number: u64,
    /// Whether there are control bytes in it.
    pub(super) has_control: bool,
}

impl Line<'_> {
    pub(super) fn is_comment(&self) -> bool {
        self.text.starts_with(b"# ")
    }

    /// The folded line; `cleaned` is a buffer for a stack without control bytes.
    #[inline]
    pub(super) fn parse<'b>(
        &'b self,
        cleaned: &'b mut Vec<u8>,
    ) -> Result<FoldedLine<'b>, Malformed> {
        if self.has_control {
            return self.parse_with_controls(cleaned);
        }
        FoldedLine::parse_unlabelled(self.text)
    }

    #[inline(never)]
    fn parse_with_controls<'b>(
        &'b self,
        cleaned: &'b mut Vec<u8>,
    ) -> Result<FoldedLine<'b>, Malformed> {
        let folded = FoldedLine::parse(self.text)?;
        if !folded.stack.starts_with(b"#") {
            return Ok(FoldedLine { stack: self.clean(folded.stack, cleaned), ..folded });
        }
        // `#\tmy thread;main`, also after labels, which is sorted as it will be written.
        clean_text(folded.stack, cleaned);
        if would_be_comment(cleaned) {
            cleaned.insert(0, b'\\');
        }
        Ok(FoldedLine { stack: cleaned, ..folded })
    }

    /// `text`, a part of the line, with spaces in place of control bytes: tabs, or escapes that
    /// would colour a terminal. `cleaned` is a buffer for it.
    #[inline]
    pub(super) fn clean<'b>(&self, text: &'b [u8], cleaned: &'b mut Vec<u8>) -> &'b [u8] {
        // In most lines with labels, only the labels have control bytes.
        if !self.has_control || !has_control(text) {
            return text;
        }
        cleaned.clear();
        clean_text(text, cleaned);
        cleaned
    }
}
