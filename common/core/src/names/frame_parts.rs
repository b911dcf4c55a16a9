//! A frame's name, and what is written after it: a place in the source and marks, as in
//! `work (demo.c:14)_[i]`.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr2_iter;
use memchr::memmem::Finder;

use crate::folded::Frames;

/// A frame, split into its name, its place and its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameParts<'a> {
    /// The function's name, which patterns, sums and comparisons use; may be empty.
    pub name: &'a [u8],
    /// The line of the source, `demo.c:14` of ` (demo.c:14)`; empty if there is none.
    pub place: &'a [u8],
    /// What kind of code it is, any number of `_[k]` (kernel), `_[l]` (library), `_[o]` (own code),
    /// `_[j]` (compiled at run time), `_[i]` (inlined) and `_[w]` (waker); empty if there are none.
    pub marks: &'a [u8],
}

/// The length of a mark.
const MARK: usize = b"_[k]".len();

impl<'a> FrameParts<'a> {
    /// Splits a frame. This costs one comparison where the frame ends in neither `)` nor `]`.
    #[inline]
    #[must_use]
    pub fn of(frame: &'a [u8]) -> FrameParts<'a> {
        match frame {
            [.., b')' | b']'] => FrameParts::split(frame),
            _ => FrameParts { name: frame, place: b"", marks: b"" },
        }
    }

    fn split(frame: &'a [u8]) -> FrameParts<'a> {
        let mut end = frame.len();
        while ends_in_mark(&frame[..end]) {
            end -= MARK;
        }
        let (before, marks) = frame.split_at(end);
        let (name, place) = split_place(before).unwrap_or((before, b""));
        FrameParts { name, place, marks }
    }

    /// Whether the frame has the mark with this letter, such as `b'k'`.
    #[must_use]
    pub fn has_mark(&self, letter: u8) -> bool {
        self.marks.chunks(MARK).any(|mark| mark.get(2) == Some(&letter))
    }
}

fn ends_in_mark(frame: &[u8]) -> bool {
    matches!(frame, [.., b'_', b'[', b'k' | b'l' | b'o' | b'j' | b'i' | b'w', b']'])
}

/// Splits `work (demo.c:14)` into `work` and `demo.c:14`.
///
/// The place starts at the last ` (` that is not closed within the path. In
/// `f (int) (c:d (x).c:12)` that is ` (c:d`, as the `(x)` after it is closed. The `(` of
/// `Main.(fun main.ml:6)` starts no place, since no space comes before it.
fn split_place(frame: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = frame.strip_suffix(b")")?;
    let digits = inside.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let path = inside[..inside.len() - digits].strip_suffix(b":")?;
    let mut closed = 0;
    for at in (1..path.len()).rev() {
        match path[at] {
            b')' => closed += 1,
            b'(' if closed > 0 => closed -= 1,
            b'(' if path[at - 1] == b' ' => return Some((&frame[..at - 1], &inside[at + 1..])),
            _ => {}
        }
    }
    None
}

/// A folded stack with only the names of its frames, and their marks if `with_marks`. Borrowed if
/// that changes nothing.
#[must_use]
pub fn names_of_stack(stack: &[u8], with_marks: bool) -> Cow<'_, [u8]> {
    if !may_have_parts(stack) {
        return stack.into();
    }
    let mut names = Vec::with_capacity(stack.len());
    for frame in Frames::new(stack) {
        let FrameParts { name, marks, .. } = FrameParts::of(frame);
        names.extend_from_slice(name);
        if with_marks {
            names.extend_from_slice(marks);
        }
        names.push(b';');
    }
    names.pop();
    names.into()
}

/// How a mark and a place start, which few names hold.
static STARTS: LazyLock<[Finder<'_>; 2]> =
    LazyLock::new(|| [Finder::new(b"_["), Finder::new(b" (")]);

/// Whether a frame of the stack ends as one with a place or a mark does.
fn may_have_parts(stack: &[u8]) -> bool {
    STARTS.iter().any(|start| start.find(stack).is_some())
        && memchr2_iter(b')', b']', stack).any(|at| {
            let is_end = matches!(stack.get(at + 1), None | Some(b';'));
            let frames = &stack[..=at];
            is_end && (matches!(frames, [.., b'0'..=b'9', b')']) || ends_in_mark(frames))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_apart() {
        for (name, place, marks) in [
            ("work", "demo.c:14", ""),
            ("work", "demo.c:14", "_[i]"),
            ("work", "", "_[k]"),
            ("work", "", "_[k]_[i]"),
            ("f(int)", "a b/c.cpp:7", ""),
            ("f (int)", "a.c:3", "_[l]"),
            ("f (a.c:3)", "b.c:4", ""),
            ("b", "c:d (x).c:12", ""),
            ("b", "c: (d).c:12", ""),
            ("b", "c(d.c:12", ""),
            ("b", "(d).c:12", ""),
            ("b (c", "d (e (f)) g.c:1", "_[j]"),
            ("operator()", "a.h:1", ""),
            ("f", "app.js:10:1", ""),
            ("f", ":7", ""),
            ("", "a.c:1", ""),
            ("", "", "_[w]"),
            ("", "", ""),
            ("Main.(fun main.ml:6)", "", ""),
            ("f(a:1)", "", ""),
            ("f (a:)", "", ""),
            ("f (a:1", "", ""),
            ("f (a1)", "", ""),
            ("f (x4+)", "", ""),
            ("f (b)c:1)", "", ""),
            ("(a:1)", "", ""),
            ("f_[x]", "", ""),
            ("f[k]", "", ""),
            ("[libc.so.6]", "", ""),
            ("f_[k] (a.c)", "", ""),
        ] {
            let written = if place.is_empty() { String::new() } else { format!(" ({place})") };
            let frame = format!("{name}{written}{marks}");
            let [name, place, marks] = [name, place, marks].map(str::as_bytes);
            let expected = FrameParts { name, place, marks };
            assert_eq!(FrameParts::of(frame.as_bytes()), expected, "{frame}");
        }
    }

    #[test]
    fn any_of_several_marks_is_found() {
        let parts = FrameParts::of(b"f_[k]_[i]");
        assert!(parts.has_mark(b'k') && parts.has_mark(b'i') && !parts.has_mark(b'j'));
    }

    #[test]
    fn a_stack_of_names_has_as_many_frames() {
        let names = |stack: &'static str, with_marks| {
            String::from_utf8(names_of_stack(stack.as_bytes(), with_marks).into()).expect("UTF-8")
        };
        for (stack, expected, with_marks) in [
            ("main;f(int);[libc.so.6]", "main;f(int);[libc.so.6]", "main;f(int);[libc.so.6]"),
            ("a (a.c:1);b_[k];c (c.c:2)_[i]", "a;b;c", "a;b_[k];c_[i]"),
            ("_[k];;f(int)", ";;f(int)", "_[k];;f(int)"),
            ("a;_[k]", "a;", "a;_[k]"),
        ] {
            assert_eq!(names(stack, false), expected, "{stack}");
            assert_eq!(names(stack, true), with_marks, "{stack}");
        }
    }
}
