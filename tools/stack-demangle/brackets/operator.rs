//! C++'s operators, whose names may be brackets.

use super::is_word;

/// The operators with brackets or arrows, longer ones first.
const BRACKETS: [&[u8]; 13] =
    [b"()", b"[]", b"->*", b"->", b"<=>", b"<<=", b">>=", b"<<", b">>", b"<=", b">=", b"<", b">"];

/// The characters of the other operators.
const SYMBOLS: &[u8] = b"+-*/%^&|~!=,";

/// Returns the end of an operator's name such as `operator<<` that begins at
/// `at`; of `operator new` and `operator int`, the end of the first word.
pub(super) fn end(text: &[u8], at: usize) -> Option<usize> {
    const WORD: &[u8] = b"operator";
    let name = text[at..].strip_prefix(WORD)?;
    let starts_word = at == 0 || !is_word(text[at - 1]);
    if !starts_word || name.first().is_some_and(|&byte| is_word(byte)) {
        return None;
    }
    let symbol = match BRACKETS.iter().find(|symbol| name.starts_with(symbol)) {
        Some(symbol) => symbol.len(),
        None => name.iter().take_while(|byte| SYMBOLS.contains(byte)).count(),
    };
    Some(at + WORD.len() + symbol)
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn operators_end_behind_their_symbol() {
        for (operator, rest) in [
            ("operator()", "()"),
            ("operator()", "<int>(int)"),
            ("operator<<", " <char>(x)"),
            ("operator<", " <int>"),
            ("operator<=>", "(A const&)"),
            ("operator->", "()"),
            ("operator->*", "()"),
            ("operator[]", "(int)"),
            ("operator", " new(unsigned long)"),
            ("operator", " int*()"),
            ("operator+", "(A)"),
            ("operator+=", "<char [14]>"),
            ("operator==", "<A, B>"),
            ("operator-", "<A>"),
        ] {
            let text = format!("{operator}{rest}");
            assert_eq!(end(text.as_bytes(), 0), Some(operator.len()), "{text}");
        }
    }

    #[test]
    fn words_that_only_look_like_operators_are_none() {
        for text in ["operators()", "operator_()", "operate()", "opera"] {
            assert_eq!(end(text.as_bytes(), 0), None, "{text}");
        }
        assert_eq!(end(b"my_operator()", 3), None);
    }
}
