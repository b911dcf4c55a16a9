//! What peers' options, values and programs are called, and what does it here.
//!
//! One table for all tools: people type `-g` from perf, `-focus` from pprof or `--minwidth`
//! from FlameGraph at whichever tool they have before them.

/// The table, a row a line.
const TABLE: &str = include_str!("peers.txt");

/// In [`Row::tools`], all tools but those that have a row of their own.
pub const EVERY_TOOL: &str = "*";

/// What is typed, and what is answered.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The tools at which it is typed, with spaces between them.
    pub tools: &'static str,
    /// The words, with spaces between them.
    pub words: &'static str,
    /// What the tool says.
    pub answer: &'static str,
}

/// The rows of the table.
pub fn rows() -> impl Iterator<Item = Row> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (tools, rest) = line.split_once(" | ")?;
        let (words, answer) = rest.split_once(" | ")?;
        Some(Row { tools, words, answer })
    })
}

/// What `tool` should answer to this word; `None` if no peer has it.
#[must_use]
pub fn answer(tool: &str, word: &str) -> Option<&'static str> {
    let row = |of: &str| {
        let mut rows = rows().filter(|row| row.tools.split(' ').any(|tool| tool == of));
        rows.find(|row| row.words.split(' ').any(|known| is_same(known, word)))
    };
    row(tool).or_else(|| row(EVERY_TOOL)).map(|row| row.answer)
}

/// Whether a word is an option of a Go program, with one dash, and long enough to be nothing
/// else: `-web` may be `-w -e b`.
pub(crate) fn is_of_go(word: &str) -> bool {
    word.len() > "-web".len() && rows().any(|row| row.words.split(' ').any(|known| known == word))
}

/// Whether two words are the same. Go's programs take `-top` and `--top` for one option.
fn is_same(known: &str, word: &str) -> bool {
    if let Some(start) = known.strip_suffix('*') {
        return word.starts_with(start);
    }
    let is_long = |word: &str| word.starts_with('-') && word.len() > 2;
    let is_same_name = known.trim_start_matches('-') == word.trim_start_matches('-');
    known == word || is_same_name && is_long(known) && is_long(word)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_is_a_row_a_comment_or_empty() {
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(rows().count(), lines.count());
    }

    #[test]
    fn the_row_of_a_tool_comes_before_that_of_every_tool() {
        let own = answer("stack-top", "-g").expect("a row");
        assert!(own.starts_with("use '--tree'"), "{own}");
        assert_ne!(answer("stack-merge", "-g"), Some(own));
    }

    #[test]
    fn one_dash_and_two_are_the_same_before_a_word() {
        assert!(answer("stack-svg", "-top").is_some());
        assert_eq!(answer("stack-svg", "-top"), answer("stack-svg", "--top"));
        assert_ne!(answer("stack-grep", "-o"), answer("stack-grep", "--o"));
        assert_ne!(answer("stack-grep", "-top"), answer("stack-grep", "top"));
    }

    #[test]
    fn a_word_may_go_on() {
        assert!(answer("stack-demangle", "_ZN3foo3barEv").is_some());
        assert_eq!(answer("stack-top", "_ZN3foo3barEv"), None);
    }

    #[test]
    fn no_word_is_twice_in_the_rows_of_a_tool() {
        let mut seen = BTreeSet::new();
        for Row { tools, words, .. } in rows() {
            for (tool, word) in
                tools.split(' ').flat_map(|it| words.split(' ').map(move |word| (it, word)))
            {
                let is_long = word.starts_with('-') && word.len() > 2;
                let name = if is_long { word.trim_start_matches('-') } else { word };
                assert!(seen.insert((tool, is_long, name)), "{tool} {word}");
            }
        }
    }
}
