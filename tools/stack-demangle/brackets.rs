//! Shortens names: drops the arguments of functions, templates and generics.
//!
//! Brackets must match; a name with a bracket that does not match stays as it is
//! there. The name may be of any language, so brackets are taken for arguments
//! only where they can be nothing else: Go's `pkg.(*T).Method`, OCaml's
//! `Stdlib.(<>)` and Rust's `<A as B>::f` keep theirs.

mod arguments;
mod operator;
mod templates;

use common::names::is_word;

pub(crate) use arguments::without_arguments;
pub(crate) use templates::without_templates;

/// The matching brackets of a name.
///
/// `<` and `>` may also be comparisons, or parts of arrows and operators:
/// `f<((1)<(2))>`, `f<fn() -> T>`, `f<&A::operator<< >`.
struct Groups {
    /// For each opening bracket that is closed, the index after its closing bracket; 0 for all
    /// other bytes.
    ends: Vec<usize>,
}

impl Groups {
    fn of(name: &[u8]) -> Groups {
        let mut ends = vec![0; name.len()];
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut at = 0;
        while at < name.len() {
            if let Some(end) = operator::end(name, at) {
                at = end;
                continue;
            }
            let last = open.last().map(|&(closing, _)| closing);
            match name[at] {
                b'(' => open.push((b')', at)),
                b'[' => open.push((b']', at)),
                b'{' => open.push((b'}', at)),
                b'<' => open.push((b'>', at)),
                b'>' if is_arrow(name, at) || last != Some(b'>') => {}
                closing @ (b')' | b']' | b'}' | b'>') => close(&mut open, closing, at, &mut ends),
                _ => {}
            }
            at += 1;
        }
        Groups { ends }
    }

    /// Returns the end of the group whose opening bracket is at `start`, if
    /// there is one and it is closed.
    fn end(&self, start: usize) -> Option<usize> {
        self.ends.get(start).copied().filter(|&end| end > 0)
    }
}

/// Closes the innermost group at `at`. If that was opened by another kind of
/// bracket, as in `([)]`, all open groups are given up.
fn close(open: &mut Vec<(u8, usize)>, closing: u8, at: usize, ends: &mut [usize]) {
    // A `<` that is still open when a parenthesis closes was a comparison.
    while closing != b'>' && open.last().is_some_and(|&(last, _)| last == b'>') {
        open.pop();
    }
    match open.pop() {
        Some((last, start)) if last == closing => ends[start] = at + 1,
        _ => open.clear(),
    }
}

/// Whether the `>` at `at` belongs to `->`.
fn is_arrow(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(b"-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_end_where_their_bracket_closes() {
        for (group, rest) in [
            ("(int)", " const"),
            ("<a<b>, c<d> >", "::f"),
            ("<fn() -> T>", "::f"),
            ("<((1)<(2))>", ""),
            ("<(1<2)>", "(x)"),
            ("<(2>1)>", "(x)"),
            ("<&A::operator<< >", ""),
            ("<&A::operator->, 1>", ""),
            ("<&A::operator()>", "()"),
            ("{lambda(int (*)[3])#1}", "::operator()"),
            ("[abi:cxx11]", "()"),
        ] {
            let text = format!("{group}{rest}");
            assert_eq!(Groups::of(text.as_bytes()).end(0), Some(group.len()), "{text}");
        }
    }

    #[test]
    fn groups_without_an_end_have_none() {
        for text in ["(", "(int", "<a<b>", "(]", "<)", "{(}", "([)]"] {
            assert_eq!(Groups::of(text.as_bytes()).end(0), None, "{text}");
        }
    }
}
