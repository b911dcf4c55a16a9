//! Restores the mangled names from what perf prints.

use super::scheme::{self, Scheme};
use super::unit;

/// Returns the symbol, without its `caml`, which perf prints as `symbol`.
pub(super) fn mangle(symbol: &[u8]) -> Option<(Scheme, Vec<u8>)> {
    if let Some(dot) = find_located_function(symbol) {
        return Some((Scheme::Dot, mangle_located_function(symbol, dot)?));
    }
    let Some(odd) = symbol.iter().position(|&b| !is_word(b) && b != b'.') else {
        return mangle_words(symbol);
    };
    if is_dollar_separator(symbol, odd) {
        return Some((Scheme::Dollar, mangle_dollars(symbol, odd)?));
    }
    let is_operator = |&b: &u8| !is_word(b) && b != b'.' && !is_escaped_letter(b);
    match symbol.iter().position(is_operator) {
        Some(operator) => Some((Scheme::Dot, mangle_operator(symbol, operator)?)),
        None => mangle_words(symbol),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether `byte` is part of words but is escaped by the compiler: `find'`, and letters beyond
/// ASCII.
fn is_escaped_letter(byte: u8) -> bool {
    byte == b'\'' || !byte.is_ascii()
}

/// Returns where the `.` before `anon_fn` is in `Main.anon_fn[main.ml:6,35--143]_9`.
fn find_located_function(symbol: &[u8]) -> Option<usize> {
    let bracket = symbol.iter().position(|&b| b == b'[')?;
    [&b".anon_fn"[..], b".anon-fn", b".fn"]
        .iter()
        .find_map(|function| symbol[..bracket].strip_suffix(*function))
        .map(<[u8]>::len)
}

fn mangle_located_function(symbol: &[u8], dot: usize) -> Option<Vec<u8>> {
    let mut body = mangle_path(&symbol[..dot])?;
    let function = &symbol[dot + 1..];
    let bracket = function.iter().position(|&b| b == b'[')? + 1;
    push_escaped(&function[..bracket], &mut body);
    // dune names the file of an executable's module `dune__exe__Main.ml`. Other dots stay.
    let file = &function[bracket..];
    match file.strip_prefix(b"dune.exe.") {
        Some(module) => {
            body.extend_from_slice(b"dune__exe__");
            push_escaped(module, &mut body);
        }
        None => push_escaped(file, &mut body),
    }
    Some(body)
}

/// Restores a name with an operator, which begins at `operator`: `Odd.++_81`.
///
/// A `.` directly before or in an operator belongs to it: `Odd..%(;..)_258`.
fn mangle_operator(symbol: &[u8], operator: usize) -> Option<Vec<u8>> {
    let before = &symbol[..operator];
    let dots = before.iter().rev().take_while(|&&b| b == b'.').count();
    let (separator, word) = if dots > 0 {
        (operator - dots, &b""[..])
    } else {
        // let* and and+ are the only identifiers that mix letters and operators.
        let separator = before.iter().rposition(|&b| b == b'.')?;
        (separator, &before[separator + 1..])
    };
    let identifier = &symbol[separator + 1..];
    if !is_operator(&identifier[word.len()..]) || !matches!(word, b"" | b"let" | b"and") {
        return None;
    }
    let mut body = mangle_path(&symbol[..separator])?;
    push_escaped(identifier, &mut body);
    Some(body)
}

/// Restores a name made of words, `Stdlib.List.map_342`, which the `__` and `.` schemes have in
/// common.
///
/// A `.` inside an identifier was `__`: `Inode..private._530`, `Inode.under_score.double_533`.
fn mangle_words(symbol: &[u8]) -> Option<(Scheme, Vec<u8>)> {
    // `Foo_.bar_270` must be of the `.` scheme: perf would make `Foo._bar` of `Foo___bar`.
    if let Some(underscore) = symbol.windows(2).position(|w| w == b"_.") {
        let mut body = mangle_path(&symbol[..=underscore])?;
        push_joined(&symbol[underscore + 2..], &mut body);
        return Some((Scheme::Dot, body));
    }
    let dot = symbol.iter().position(|&b| b == b'.')?;
    if !unit::is_module_name(&symbol[..dot]) {
        return None;
    }
    let mut body = Vec::with_capacity(symbol.len() + 16);
    push_joined(symbol, &mut body);
    Some((Scheme::Underscores, body))
}

/// Returns the mangled form of a module path and the separator of the `.` scheme:
/// `Pack_store.Inode` becomes `Pack_store__Inode.`
fn mangle_path(path: &[u8]) -> Option<Vec<u8>> {
    let first = path.split(|&b| b == b'.').next()?;
    let is_path = path.iter().all(|&b| is_word(b) || b == b'.' || is_escaped_letter(b));
    (unit::is_module_name(first) && is_path).then(|| {
        let mut body = Vec::with_capacity(path.len() + 64);
        push_joined(path, &mut body);
        body.push(b'.');
        body
    })
}

/// Whether `text` is an operator with a stamp: `>>=_521`, `@_dps_863`,
/// `.%(;..)_258`.
fn is_operator(text: &[u8]) -> bool {
    let is_index = text.starts_with(b".");
    let is_symbol = |b: u8| match b {
        b'!' | b'#' | b'$' | b'%' | b'&' | b'*' | b'+' | b'-' | b'.' | b'/' | b':' | b'<'
        | b'=' | b'>' | b'?' | b'@' | b'^' | b'|' | b'~' => true,
        // In folded stacks, `;` in a name was replaced by `:`.
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' => is_index,
        _ => false,
    };
    let end = text.iter().position(|&b| !is_symbol(b)).unwrap_or(text.len());
    text[end..].starts_with(b"_") && text[end..].iter().all(|&b| is_word(b))
}

/// Whether the byte at `at`, where the module path ends in `symbol`, is the separator of the `$`
/// scheme, as it was or changed by perf.
fn is_dollar_separator(symbol: &[u8], at: usize) -> bool {
    let (before, after) = (&symbol[..at], &symbol[at + 1..]);
    let last = before.rsplit(|&b| b == b'.').next().unwrap_or_default();
    if last.is_empty() {
        return false;
    }
    match symbol[at] {
        // It is in `Odd$fun_1192`, `Odd$.double_533` and `Odd$$!$!_512`; in `Odd.let$_12` and
        // `Odd.$_331`, `$` is an operator.
        b'$' => {
            let is_stamp =
                after.strip_prefix(b"_").is_some_and(|n| n.iter().all(u8::is_ascii_digit));
            let begins = |&b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b'$');
            after.first().is_some_and(begins) && !is_stamp && !matches!(last, b"let" | b"and")
        }
        // `Stdlib.Map\xADd_437`. In UTF-8, such a byte is never alone. In Latin-1, a letter is one
        // byte from \xC0 on, but is in an identifier: `Foo.caf\xE9_12`.
        byte @ 0xa0.. => {
            let is_alone = after.first().is_some_and(u8::is_ascii);
            is_alone && (byte < 0xc0 || last[0].is_ascii_uppercase())
        }
        _ => false,
    }
}

/// Restores a name of the `$` scheme.
///
/// perf makes one byte of a separator and two hexadecimal digits: \xAD was `$ad` or, which is
/// rarer, `$AD`. Of an escape `$$2b`, perf leaves `$+`.
fn mangle_dollars(symbol: &[u8], separator: usize) -> Option<Vec<u8>> {
    let mut body = Vec::with_capacity(symbol.len() + 16);
    let mut rest = symbol.iter().copied().enumerate().peekable();
    while let Some((at, byte)) = rest.next() {
        match byte {
            b'.' => body.extend_from_slice(b"__"),
            b'$' => {
                body.push(b'$');
                let is_escaped = |&(_, b): &(usize, u8)| scheme::is_escapable(b) && b != b'$';
                if at > separator
                    && let Some((_, escaped)) = rest.next_if(is_escaped)
                {
                    body.push(b'$');
                    push_hex(escaped, &mut body);
                }
            }
            0xa0.. => {
                body.push(b'$');
                push_hex(byte, &mut body);
            }
            _ if is_word(byte) => body.push(byte),
            _ => return None,
        }
    }
    Some(body)
}

/// Appends `text` with `__` for every `.`, other characters escaped.
fn push_joined(text: &[u8], body: &mut Vec<u8>) {
    for part in text.split_inclusive(|&b| b == b'.') {
        match part.strip_suffix(b".") {
            Some(component) => {
                push_escaped(component, body);
                body.extend_from_slice(b"__");
            }
            None => push_escaped(part, body),
        }
    }
}

/// Appends `text` as the compiler escapes it.
fn push_escaped(text: &[u8], body: &mut Vec<u8>) {
    for &byte in text {
        if is_word(byte) {
            body.push(byte);
        } else {
            body.push(b'$');
            push_hex(byte, body);
        }
    }
}

fn push_hex(byte: u8, body: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    body.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mangled_name_comes_back() {
        for (symbol, scheme, body) in [
            (&b"Stdlib.Map.bal_170"[..], Scheme::Underscores, "Stdlib__Map__bal_170"),
            (b"Inode..private._530", Scheme::Underscores, "Inode____private___530"),
            (b"Inode.find'_501", Scheme::Underscores, "Inode__find$27_501"),
            (b"Foo_.bar_270", Scheme::Dot, "Foo_.bar_270"),
            (b"Odd..%(;..)_258", Scheme::Dot, "Odd.$2e$25$28$3b$2e$2e$29_258"),
            (b"Odd.let*_inner_516", Scheme::Dot, "Odd.let$2a_inner_516"),
            (
                b"Main.anon-fn[a.ml:6,3--4]_9",
                Scheme::Dot,
                "Main.anon$2dfn$5ba$2eml$3a6$2c3$2d$2d4$5d_9",
            ),
            (b"Odd$$!$!_512", Scheme::Dollar, "Odd$$$21$$21_512"),
            (b"Odd$.double_533", Scheme::Dollar, "Odd$__double_533"),
            (b"Stdlib.Map\xadd_437", Scheme::Dollar, "Stdlib__Map$add_437"),
            (b"Foo\xcaf$\xc3$\xa9_12", Scheme::Dollar, "Foo$caf$$c3$$a9_12"),
        ] {
            let mangled = mangle(symbol).unwrap();
            assert_eq!(mangled, (scheme, body.into()), "{}", symbol.escape_ascii());
        }
    }
}
