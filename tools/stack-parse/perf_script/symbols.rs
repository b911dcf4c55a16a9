//! Which frames the symbols of frame lines stand for.

use std::hash::BuildHasher;

use common::FrameId;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::frame_line::without_offset;

/// What a frame line says behind the address, but for the offset, which makes
/// thousands of lines of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol<'a> {
    /// `outer`
    name: &'a [u8],
    /// ` (/usr/lib/libc.so.6)`, or nothing.
    object: &'a [u8],
}

/// Symbols whose frames are known; memory grows with the distinct ones only.
#[derive(Default)]
pub(super) struct Symbols {
    /// The texts, each a name and an object.
    bytes: Vec<u8>,
    known: Vec<Known>,
    hasher: DefaultHashBuilder,
    /// Indices of `known`.
    index: HashTable<usize>,
}

struct Known {
    /// Where the text starts in `bytes`, where its object does, and its end.
    start: usize,
    object: usize,
    end: usize,
    frame: FrameId,
}

impl<'a> Symbol<'a> {
    /// Parts `outer+0x34 (/usr/lib/libc.so.6)`. Texts with equal parts are
    /// frames of one name.
    #[inline]
    pub(super) fn parse(text: &'a [u8]) -> Symbol<'a> {
        // No text that was parted has this object.
        Symbol::parted(text).unwrap_or(Symbol { name: text, object: b")" })
    }

    /// The parts, if it is certain how [`FrameLine`](super::FrameLine) would
    /// part the text: not of `f+0x1 (/memfd:my demo (deleted))`.
    #[inline]
    fn parted(text: &'a [u8]) -> Option<Symbol<'a>> {
        let start = match text {
            [inner @ .., b')'] => {
                let open = memchr::memrchr2(b'(', b')', inner)?;
                inner[..=open].ends_with(b" (").then(|| open - 1)?
            }
            _ => text.len(),
        };
        let (name, object) = text.split_at(start);
        let name = without_offset(name);
        let is_name = match name.last()? {
            // `f+0x1 (/demo) (inlined)`
            b')' => object != b" (inlined)",
            // `f  (/demo)`
            byte => !byte.is_ascii_whitespace(),
        };
        is_name.then_some(Symbol { name, object })
    }
}

impl Symbols {
    /// The frame of a symbol, if it is known.
    #[inline]
    pub(super) fn frame(&self, symbol: Symbol<'_>) -> Option<FrameId> {
        let Symbols { bytes, known, hasher, index } = self;
        let is_same = |&at: &usize| known[at].symbol(bytes) == symbol;
        // Of one name there are few objects.
        index.find(hasher.hash_one(symbol.name), is_same).map(|&at| known[at].frame)
    }

    /// Notes a symbol that is not known yet, and its frame.
    pub(super) fn add(&mut self, symbol: Symbol<'_>, frame: FrameId) {
        let Symbols { bytes, known, hasher, index } = self;
        let start = bytes.len();
        bytes.extend_from_slice(symbol.name);
        let object = bytes.len();
        bytes.extend_from_slice(symbol.object);
        known.push(Known { start, object, end: bytes.len(), frame });
        let hash = |&at: &usize| hasher.hash_one(known[at].symbol(bytes).name);
        index.insert_unique(hasher.hash_one(symbol.name), known.len() - 1, hash);
    }
}

impl Known {
    fn symbol<'a>(&self, bytes: &'a [u8]) -> Symbol<'a> {
        Symbol { name: &bytes[self.start..self.object], object: &bytes[self.object..self.end] }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::perf_script::FrameLine;

    fn parts(text: &str) -> (String, String) {
        let Symbol { name, object } = Symbol::parse(text.as_bytes());
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
            assert_eq!(symbols.frame(Symbol::parse(text)), None);
            symbols.add(Symbol::parse(text), frame);
        }
        for (text, frame) in texts.into_iter().zip(7..) {
            assert_eq!(symbols.frame(Symbol::parse(text)), Some(frame));
        }
        assert_eq!(symbols.frame(Symbol::parse(b"outer+0x5 (/demo)")), Some(7));
    }

    /// What is said of a frame but for its address.
    fn frame(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>, bool)> {
        let line = [b"\t            2734 ", text].concat();
        let frame = FrameLine::parse(&line)?;
        Some((frame.symbol.to_vec(), frame.dso.to_vec(), frame.inlined))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(2000)
        })]

        #[test]
        fn texts_with_equal_parts_are_equal_frames(
            text in "[a(]([a-c() +/]|\\(/|\\)|\\+0x){0,6}(\\+0x[0-9a]{1,2})?( \\(([a/() ]|\\+0x1){0,4}\\)| \\(inlined\\))?"
        ) {
            let symbol = Symbol::parse(text.as_bytes());
            for offset in ["", "+0x1f", "+0x0"] {
                let other = [symbol.name, offset.as_bytes(), symbol.object].concat();
                if Symbol::parse(&other) == symbol {
                    prop_assert_eq!(frame(text.as_bytes()), frame(&other));
                }
            }
        }
    }
}
