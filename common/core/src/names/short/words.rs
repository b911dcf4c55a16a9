//! The words of a name, and the operators of C++.

/// Operators of bytes that elsewhere are brackets or separate arguments; the longest first.
const OPERATORS: [&[u8]; 14] = [
    b"<=>", b"<<=", b">>=", b"->*", b"<<", b">>", b"<=", b">=", b"->", b"()", b"[]", b"<", b">",
    b",",
];

/// Whether `byte` is part of a word, in any script.
#[inline]
#[must_use]
pub fn is_word(byte: u8) -> bool {
    const WORD: [bool; 256] = {
        let mut table = [false; 256];
        let mut at = 0;
        while at < 256 {
            let byte = at as u8;
            table[at] =
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii();
            at += 1;
        }
        table
    };
    WORD[usize::from(byte)]
}

/// Where the name at the end of a text begins.
pub(super) fn name_start(text: &[u8]) -> usize {
    let is_part = |byte: &u8| is_word(*byte) || matches!(byte, b':' | b'~');
    text.iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1)
}

/// The length of the operator in [`OPERATORS`] after the word `operator`; 0 if it is another.
pub(super) fn operator_length(after: &[u8]) -> usize {
    OPERATORS.iter().find(|it| after.starts_with(it)).map_or(0, |it| it.len())
}
