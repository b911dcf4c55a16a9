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
    /// Parts `outer+0x34 (/usr/lib/libc.so.6)`.
    ///
    /// Two texts with equal parts are frames of one name: the offset is left
    /// out only where a frame line is sure to end with it.
    #[inline]
    pub(super) fn parse(text: &'a [u8]) -> Symbol<'a> {
        let (name, object) = text.split_at(object_start(text));
        Symbol { name: without_offset(name), object }
    }
}

/// Where the last ` (` starts, if the text ends in its parenthesis and there
/// is no other one in between: `f+0x1 (/memfd:my demo (deleted))` has none.
#[inline]
fn object_start(text: &[u8]) -> usize {
    let [inner @ .., b')'] = text else { return text.len() };
    match memchr::memrchr2(b'(', b')', inner) {
        Some(open) if inner[..=open].ends_with(b" (") => open - 1,
        _ => text.len(),
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
    use super::*;

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
            ("f+0x1 (/memfd:my demo (deleted))", "f+0x1 (/memfd:my demo (deleted))", ""),
            ("f+0x1 (/x/a(b)c)", "f+0x1 (/x/a(b)c)", ""),
            ("f+0x1(/x)", "f+0x1(/x)", ""),
            ("f+0x1 ", "f+0x1 ", ""),
            (")", ")", ""),
            ("", "", ""),
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
}
