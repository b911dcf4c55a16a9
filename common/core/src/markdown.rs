//! Texts in Markdown.

/// A text as Markdown shows it letter by letter.
#[must_use]
pub fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    [&ticks, space, text, space, &ticks].concat()
}

/// How many backticks there are in a row.
#[must_use]
pub fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_markdown_may_hold_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`a"), "`` `a ``");
    }
}
