//! Words of a shell.

/// The text as one word of a shell, in quotes.
#[must_use]
pub fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The text as one word of a shell, in quotes if it must be.
#[must_use]
pub fn argument(text: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "-_=.,:/%+@".contains(char);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { word(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_within_a_word_are_quoted() {
        assert_eq!(word("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(word(""), "''");
    }

    #[test]
    fn words_that_need_no_quotes_have_none() {
        assert_eq!(argument("out/app-1.data"), "out/app-1.data");
        assert_eq!(argument("my app"), "'my app'");
        assert_eq!(argument(""), "''");
    }
}
