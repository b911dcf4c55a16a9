//! Rust: within `<…>`, types and traits of the standard library are said by their last names, as
//! rustc's messages do: `<Vec<u8> as FromIterator<u8>>::from_iter`.
//!
//! The path of the function itself stays whole: `core::ptr::drop_in_place<Vec<u8>>`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::is_word;

static TYPES: LazyLock<HashSet<&'static [u8]>> = LazyLock::new(|| {
    let lines = include_str!("rust-types.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(str::as_bytes).collect()
});

const CRATES: [&[u8]; 3] = [b"alloc::", b"core::", b"std::"];

/// Modules with private types that have the names of public ones.
const PRIVATE: [&[u8]; 2] = [b"sys", b"sys_common"];

/// The name of a function of Rust as rustc says it; `None` if that is the name as it is.
#[must_use]
pub fn short_rust(name: &[u8]) -> Option<Vec<u8>> {
    let mut short = Vec::new();
    let (mut depth, mut at, mut copied) = (0_usize, 0, 0);
    while at < name.len() {
        let rest = &name[at..];
        match rest[0] {
            b'<' => depth += 1,
            // `fn(u8) -> u8`
            b'>' if !name[..at].ends_with(b"-") => depth = depth.saturating_sub(1),
            byte if is_word(byte) => {
                let path = path(rest);
                if depth > 0
                    && let Some(type_name) = type_of_path(path)
                    && !rest[path.len()..].starts_with(b"::")
                {
                    short.extend_from_slice(&name[copied..at]);
                    short.extend_from_slice(type_name);
                    copied = at + path.len();
                }
                at += path.len();
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    (copied > 0).then(|| {
        short.extend_from_slice(&name[copied..]);
        short
    })
}

/// Whether a word within `<…>` is a type or a trait of the standard library, without its path.
pub(in crate::names) fn is_std_type(word: &[u8]) -> bool {
    TYPES.contains(word)
}

/// The path of words at the start of a text: `core::option::Option` of `core::option::Option<u8>`.
fn path(text: &[u8]) -> &[u8] {
    let mut end = 0;
    loop {
        end += text[end..].iter().take_while(|&&byte| is_word(byte)).count();
        match &text[end..] {
            [b':', b':', next, ..] if is_word(*next) => end += 2,
            _ => return &text[..end],
        }
    }
}

/// The last name of a path, if it is enough.
fn type_of_path(path: &[u8]) -> Option<&[u8]> {
    let rest = CRATES.iter().find_map(|it| path.strip_prefix(*it))?;
    let at = rest.windows(2).rposition(|it| it == b"::")?;
    let (modules, type_name) = (&rest[..at], &rest[at + 2..]);
    let mut modules = modules.split(|&byte| byte == b':');
    let is_public =
        modules.all(|it| !PRIVATE.contains(&it) && !it.first().is_some_and(u8::is_ascii_uppercase));
    (is_public && TYPES.contains(type_name)).then_some(type_name)
}
