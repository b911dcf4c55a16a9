//! The place in the source behind a name: `work (demo.c:14)`.

use std::borrow::Cow;

use bstr::ByteSlice;

/// Splits `work (demo.c:14)`, as `stack-parse --srcline` and `stack-demangle --lines`
/// write it, into `work` and `demo.c:14`. `None` if no place ends the name.
#[must_use]
pub fn split_source_line(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = name.strip_suffix(b")")?;
    let digits = inside.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let file = inside[..inside.len() - digits].strip_suffix(b":")?;
    let start = file.rfind(" (")?;
    (digits > 0 && start + 2 < file.len()).then(|| (&name[..start], &inside[start + 2..]))
}

/// Splits off the mark that says what kind of code a frame is: `_[k]` kernel,
/// `_[j]` JIT, `_[i]` inlined, `_[w]` waker. The mark is empty where there is none.
#[must_use]
pub fn split_mark(name: &[u8]) -> (&[u8], &[u8]) {
    let length = match name {
        [.., b'_', b'[', b'k' | b'j' | b'i' | b'w', b']'] => 4,
        _ => 0,
    };
    name.split_at(name.len() - length)
}

/// The name without the place in the source, but with its mark: `f_[i]` of
/// `f (a.c:1)_[i]`.
#[must_use]
pub fn without_source_line(name: &[u8]) -> Cow<'_, [u8]> {
    let (bare, mark) = split_mark(name);
    match split_source_line(bare) {
        Some((function, _)) => [function, mark].concat().into(),
        None => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_and_a_number_in_brackets_are_a_place() {
        for (name, expected) in [
            ("work (demo.c:14)", Some(("work", "demo.c:14"))),
            ("f(int) (a b/c.cpp:7)", Some(("f(int)", "a b/c.cpp:7"))),
            ("Main.(fun main.ml:6)", None),
            ("f (:1)", None),
            ("f (a:)", None),
            ("f(a:1)", None),
            ("f (a:1", None),
        ] {
            let expected = expected.map(|(name, place)| (name.as_bytes(), place.as_bytes()));
            assert_eq!(split_source_line(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn marks_are_those_of_stack_parse() {
        for (name, mark) in [("do_idle", "_[k]"), ("f", "_[i]"), ("f_[x]", ""), ("", "_[k]")] {
            let frame = format!("{name}{mark}");
            assert_eq!(split_mark(frame.as_bytes()), (name.as_bytes(), mark.as_bytes()));
        }
    }
}
