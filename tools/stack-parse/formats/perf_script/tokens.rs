//! Words between the spaces of an event line.

/// perf pads with spaces, simpleperf with TABs.
pub(super) fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The text without the spaces before it.
pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|byte| is_space(byte)).count()..]
}

/// The text without the spaces after it.
pub(super) fn trim_end(text: &[u8]) -> &[u8] {
    &text[..text.len() - text.iter().rev().take_while(|byte| is_space(byte)).count()]
}

/// The text without the spaces around it.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    trim_start(trim_end(text))
}

/// Where the last token of `text` starts.
pub(super) fn token_start(text: &[u8]) -> usize {
    text.iter().rposition(is_space).map_or(0, |space| space + 1)
}

/// Where the first token of `text` ends.
pub(super) fn token_end(text: &[u8]) -> usize {
    text.iter().position(is_space).unwrap_or(text.len())
}

/// `(the first token, the text after it)` of a text that may start with spaces.
pub(super) fn split_token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = text.len() - trim_start(text).len();
    let end = start + token_end(&text[start..]);
    (start < end).then(|| (&text[start..end], &text[end..]))
}

/// `(the text before, the last token)` of a text that does not end in a space.
pub(super) fn split_last_token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = token_start(text);
    (!text.is_empty()).then(|| (trim_end(&text[..start]), &text[start..]))
}

/// Whether this token ends in a colon and has more than that.
pub(super) fn ends_in_colon(token: &[u8]) -> bool {
    token.len() > 1 && token.ends_with(b":")
}
