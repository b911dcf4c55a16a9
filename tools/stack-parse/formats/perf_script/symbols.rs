//! Which frames the symbols of frame lines stand for.

use std::hash::BuildHasher;

use common::{FrameId, FrameTable};
use hashbrown::{DefaultHashBuilder, HashTable};

use super::frame_line::without_offset;

/// What a frame line says behind the address, but for the offset, which makes
/// thousands of lines of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol<'a> {
    /// `outer`
    name: &'a [u8],
    /// The number of ` (/usr/lib/libc.so.6)`, or of nothing.
    object: FrameId,
}

/// The object of texts that are not parted; no number of an object.
const WHOLE: FrameId = FrameId::MAX;

/// How many objects are found by how they end.
const ENDS: usize = 64;

/// Symbols whose frames are known; memory grows with the distinct ones only.
pub(super) struct Symbols {
    /// What stands behind names, the first is nothing.
    objects: FrameTable,
    /// For some last bytes, the object that had them last.
    by_end: [FrameId; ENDS],
    names: Vec<u8>,
    hasher: DefaultHashBuilder,
    known: HashTable<Known>,
}

#[derive(Clone, Copy)]
struct Known {
    /// Where the name starts in `names`, and how long it is.
    start: u32,
    length: u32,
    object: FrameId,
    frame: FrameId,
}

impl Symbols {
    pub(super) fn new() -> Symbols {
        let mut objects = FrameTable::default();
        objects.intern(b"");
        Symbols {
            objects,
            by_end: [0; ENDS],
            names: Vec::new(),
            hasher: DefaultHashBuilder::default(),
            known: HashTable::new(),
        }
    }

    /// Parts `outer+0x34 (/usr/lib/libc.so.6)`. Texts with equal parts are
    /// frames of one name.
    #[inline]
    pub(super) fn parse<'a>(&mut self, text: &'a [u8]) -> Symbol<'a> {
        let parted = self.part(text).and_then(|(name, object)| {
            let name = without_offset(name);
            let is_name = match name.last()? {
                // `f+0x1 (/demo) (inlined)`
                b')' => self.objects.name(object) != b" (inlined)",
                // `f  (/demo)`
                byte => !byte.is_ascii_whitespace(),
            };
            is_name.then_some(Symbol { name, object })
        });
        parted.unwrap_or(Symbol { name: text, object: WHOLE })
    }

    /// Splits off the object, if it is certain how
    /// [`FrameLine`](super::FrameLine) would part the text: not of
    /// `f+0x1 (/memfd:my demo (deleted))`.
    #[inline]
    fn part<'a>(&mut self, text: &'a [u8]) -> Option<(&'a [u8], FrameId)> {
        let Some(inner) = text.strip_suffix(b")") else { return Some((text, 0)) };
        let end = inner.last_chunk().map(|end| end_slot(*end));
        if let Some(slot) = end {
            let object = self.by_end[slot];
            if let Some(name) = text.strip_suffix(self.objects.name(object))
                && object != 0
            {
                return Some((name, object));
            }
        }
        let open = memchr::memrchr2(b'(', b')', inner)?;
        let start = inner[..=open].ends_with(b" (").then(|| open - 1)?;
        let object = self.objects.intern(&text[start..]);
        if let Some(slot) = end {
            self.by_end[slot] = object;
        }
        Some((&text[..start], object))
    }

    /// The frame of a symbol, if it is known.
    #[inline]
    pub(super) fn frame(&self, symbol: Symbol<'_>) -> Option<FrameId> {
        let Symbols { names, known, hasher, .. } = self;
        let is_same = |it: &Known| it.object == symbol.object && it.name(names) == symbol.name;
        // Of one name there are few objects.
        known.find(hasher.hash_one(symbol.name), is_same).map(|it| it.frame)
    }

    /// Notes a symbol that is not known yet, and its frame.
    pub(super) fn add(&mut self, symbol: Symbol<'_>, frame: FrameId) {
        let Symbols { names, known, hasher, .. } = self;
        // Nothing is lost by not knowing the four billionth byte.
        let (Ok(start), Ok(length)) =
            (u32::try_from(names.len()), u32::try_from(symbol.name.len()))
        else {
            return;
        };
        names.extend_from_slice(symbol.name);
        let new = Known { start, length, object: symbol.object, frame };
        let hash = |it: &Known| hasher.hash_one(it.name(names));
        known.insert_unique(hasher.hash_one(symbol.name), new, hash);
    }
}

/// Where in `by_end` an object stands that ends with these bytes before its `)`.
fn end_slot(end: [u8; 8]) -> usize {
    let mixed = u64::from_le_bytes(end).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 32) as usize % ENDS
}

impl Known {
    #[inline]
    fn name<'a>(&self, names: &'a [u8]) -> &'a [u8] {
        &names[self.start as usize..][..self.length as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::formats::perf_script::frame_line::FrameLine;

    fn parts(symbols: &mut Symbols, text: &str) -> (String, String) {
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
            assert_eq!(
                parts(&mut Symbols::new(), text),
                (name.to_owned(), object.to_owned()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn symbols_are_found_by_all_their_parts() {
        let mut symbols = Symbols::new();
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

    #[test]
    fn objects_that_end_alike_are_told_apart() {
        let mut symbols = Symbols::new();
        let texts = [&b"f (/a/libsame.so)"[..], b"f (/b/libsame.so)", b"f (x/b/libsame.so)"];
        for _ in 0..2 {
            let objects = texts.map(|text| symbols.parse(text).object);
            assert_eq!(objects, [1, 2, 3]);
        }
    }

    /// What is said of a frame but for its address.
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
            let mut symbols = Symbols::new();
            for text in texts {
                let (name, object) = parts(&mut symbols, &text);
                // What was seen before makes no difference.
                prop_assert_eq!(&(name.clone(), object.clone()), &parts(&mut Symbols::new(), &text));
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
