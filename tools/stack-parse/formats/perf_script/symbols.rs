//! Maps the symbols of frame lines to their frames.

use std::hash::BuildHasher;

use common::stacks::{FrameId, FrameTable};
use hashbrown::{DefaultHashBuilder, HashTable};

use super::frame_line::without_offset;

/// The text of a frame line after the address, without the offset: with it one function would have
/// thousands of different lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol<'a> {
    /// `outer`
    name: &'a [u8],
    /// The id of ` (/usr/lib/libc.so.6)`, of the empty text, or [`WHOLE`].
    object: FrameId,
}

/// The object of texts that are not split; no object has this id.
const WHOLE: FrameId = FrameId::MAX;

/// The frames of known symbols; memory grows only with distinct symbols.
#[derive(Default)]
pub(super) struct Symbols {
    /// The object files; there are few.
    objects: FrameTable,
    /// The last object in parentheses: the next line mostly has the same.
    last_object: Option<FrameId>,
    /// The names, one after another.
    names: Vec<u8>,
    hasher: DefaultHashBuilder,
    known: HashTable<Known>,
}

#[derive(Clone, Copy)]
struct Known {
    /// Where the name starts in `names`, and where it ends.
    start: u32,
    end: u32,
    object: FrameId,
    frame: FrameId,
}

/// Splits off the object, if [`FrameLine`](super::FrameLine) would certainly split the text in the
/// same way: `None` for `f+0x1 (/memfd:my demo (deleted))`.
#[inline]
fn split_object(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let Some(inner) = text.strip_suffix(b")") else { return Some((text, b"")) };
    let open = memchr::memrchr2(b'(', b')', inner)?;
    inner[..=open].ends_with(b" (").then(|| text.split_at(open - 1))
}

impl Symbols {
    /// Splits `outer+0x34 (/usr/lib/libc.so.6)`. Texts with equal parts have the same frame.
    #[inline]
    pub(super) fn parse<'a>(&mut self, text: &'a [u8]) -> Symbol<'a> {
        let split = self.split_object(text).and_then(|(name, object)| {
            let name = without_offset(name);
            let is_name = match name.last()? {
                // `f+0x1 (/demo) (inlined)`
                b')' => self.objects.name(object) != b" (inlined)",
                // `f  (/demo)`
                byte => !byte.is_ascii_whitespace(),
            };
            is_name.then_some(Symbol { name, object })
        });
        split.unwrap_or(Symbol { name: text, object: WHOLE })
    }

    /// Like the function [`split_object`], with the id of the object.
    #[inline]
    fn split_object<'a>(&mut self, text: &'a [u8]) -> Option<(&'a [u8], FrameId)> {
        if let Some(last) = self.last_object
            && let Some(name) = text.strip_suffix(self.objects.name(last))
        {
            return Some((name, last));
        }
        let (name, object) = split_object(text)?;
        let number = self.objects.intern(object);
        // Every text ends in the empty text, so that cannot be the last object.
        if !object.is_empty() {
            self.last_object = Some(number);
        }
        Some((name, number))
    }

    /// The frame of a symbol, if it is known.
    #[inline]
    pub(super) fn frame(&self, symbol: Symbol<'_>) -> Option<FrameId> {
        let Symbols { names, known, hasher, .. } = self;
        let is_same = |it: &Known| it.object == symbol.object && it.name(names) == symbol.name;
        // Few objects have a function of the same name.
        known.find(hasher.hash_one(symbol.name), is_same).map(|it| it.frame)
    }

    /// Notes a symbol that is not known yet, and its frame.
    pub(super) fn add(&mut self, symbol: Symbol<'_>, frame: FrameId) {
        let Symbols { names, known, hasher, .. } = self;
        let end = names.len() + symbol.name.len();
        // Names after the first 4 GiB are not cached, which only costs time.
        let (Ok(start), Ok(end)) = (u32::try_from(names.len()), u32::try_from(end)) else {
            return;
        };
        names.extend_from_slice(symbol.name);
        let new = Known { start, end, object: symbol.object, frame };
        let hash = |it: &Known| hasher.hash_one(it.name(names));
        known.insert_unique(hasher.hash_one(symbol.name), new, hash);
    }
}

impl Known {
    #[inline]
    fn name<'a>(&self, names: &'a [u8]) -> &'a [u8] {
        &names[self.start as usize..self.end as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::formats::perf_script::frame_line::FrameLine;

    fn parts(text: &str) -> (String, String) {
        let mut symbols = Symbols::default();
        let Symbol { name, object } = symbols.parse(text.as_bytes());
        let object = if object == WHOLE { b")" } else { symbols.objects.name(object) };
        let text = |part: &[u8]| String::from_utf8(part.to_vec()).expect("ascii in, ascii out");
        (text(name), text(object))
    }

    #[test]
    fn offsets_are_left_out_where_a_frame_ends_with_them() {
        for (text, name, object) in [
            ("outer+0x34 (/usr/lib/libc.so.6)", "outer", " (/usr/lib/libc.so.6)"),
            ("outer (/demo)", "outer", " (/demo)"),
            ("outer+0x34", "outer", ""),
            ("outer+0x34 (inlined)", "outer", " (inlined)"),
            ("a()+0x3 (/demo)", "a()", " (/demo)"),
            ("[unknown] ([unknown])", "[unknown]", " ([unknown])"),
            ("f+0x1 (/memfd:my demo (deleted))", "f+0x1 (/memfd:my demo (deleted))", ")"),
            ("f+0x1 (/x/a(b)c)", "f+0x1 (/x/a(b)c)", ")"),
            ("f+0x1(/x)", "f+0x1(/x)", ")"),
            ("f+0x1 ", "f+0x1 ", ")"),
            (")", ")", ")"),
            ("", "", ")"),
        ] {
            assert_eq!(parts(text), (name.to_owned(), object.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn symbols_are_found_by_all_their_parts() {
        let mut symbols = Symbols::default();
        let texts = [&b"outer+0x34 (/demo)"[..], b"outer+0x34 (/other)", b"oute (/demo)", b"outer"];
        for (text, frame) in texts.into_iter().zip(7..) {
            let symbol = symbols.parse(text);
            assert_eq!(symbols.frame(symbol), None);
            symbols.add(symbol, frame);
        }
        for (text, frame) in texts.into_iter().zip(7..) {
            let symbol = symbols.parse(text);
            assert_eq!(symbols.frame(symbol), Some(frame));
        }
        let symbol = symbols.parse(b"outer+0x5 (/demo)");
        assert_eq!(symbols.frame(symbol), Some(7));
    }

    /// The parts of a frame except its address.
    fn frame(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>, bool)> {
        let line = [b"\t            2734 ", text].concat();
        let frame = FrameLine::parse(&line)?;
        Some((frame.symbol.to_vec(), frame.dso.to_vec(), frame.inlined))
    }

    const TEXT: &str = "[a(]([a-c() +/]|\\(/|\\)|\\+0x){0,6}(\\+0x[0-9a]{1,2})?\
                        ( \\(([a/() ]|\\+0x1){0,4}(/libsame.so)?\\)| \\(inlined\\))?";

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(2000)
        })]

        #[test]
        fn texts_with_equal_parts_are_equal_frames(texts in vec(TEXT, 1..4)) {
            let mut symbols = Symbols::default();
            for text in texts {
                let (name, object) = parts(&text);
                for offset in ["", "+0x1f", "+0x0"] {
                    let other = [&name, offset, &object].concat();
                    if symbols.parse(other.as_bytes()) == symbols.parse(text.as_bytes()) {
                        prop_assert_eq!(frame(text.as_bytes()), frame(other.as_bytes()));
                    }
                }
            }
        }
    }
}
