//! Rewrites stacks frame by frame.

use common::folded::{Frames, clean_frame, clean_frame_in_place};
use common::stacks::{FrameId, FrameTable, StackIds};

/// The longest stack, in bytes, that is kept. Several copies of a longer one would cost more memory
/// than the time to rewrite it again is worth.
const LONGEST: usize = 1 << 20;

/// Rewrites stacks by rewriting their frames, each distinct frame once.
///
/// The frames that a stack shares with the one before, from the root on, are
/// taken over as they were rewritten. Memory grows with the distinct frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameMap {
    frames: FrameTable,
    ids: StackIds,
    texts: Texts,
    /// The last stack, rewritten, and where each of its frames ends.
    stack: Vec<u8>,
    ends: Vec<usize>,
}

/// The rewritten frames of a [`FrameTable`], by their numbers.
#[derive(Clone, Debug, Default)]
struct Texts {
    /// Whether the frame stays as it is, as most do: then its text need not be
    /// fetched from memory.
    is_same: Vec<bool>,
    /// Where each text ends in `bytes`; it starts where the one before ends.
    ends: Vec<usize>,
    bytes: Vec<u8>,
    /// A buffer for the frame that is being rewritten.
    renamed: Vec<u8>,
}

impl FrameMap {
    /// Returns the stack, each frame replaced by what `rename` appends to its
    /// buffer.
    ///
    /// `rename` is called once for each distinct frame, so its result may depend
    /// on nothing else. Bytes that would break the format are replaced, see
    /// [`clean_frame`].
    pub(crate) fn rewrite(
        &mut self,
        stack: &[u8],
        mut rename: impl FnMut(&[u8], &mut Vec<u8>),
    ) -> &[u8] {
        if stack.len() > LONGEST {
            return self.rewrite_long(stack, rename);
        }
        let FrameMap { frames, ids, texts, stack: rewritten, ends } = self;
        ids.of(stack, frames);
        ends.truncate(ids.kept());
        rewritten.truncate(ends.last().copied().unwrap_or(0));
        for (id, range) in ids.fresh() {
            if !ends.is_empty() {
                rewritten.push(b';');
            }
            rewritten.extend_from_slice(texts.of(id, &stack[range], &mut rename));
            ends.push(rewritten.len());
        }
        rewritten
    }

    /// Rewrites a stack as [`FrameMap::rewrite`] does, without keeping anything of it.
    fn rewrite_long(&mut self, stack: &[u8], mut rename: impl FnMut(&[u8], &mut Vec<u8>)) -> &[u8] {
        self.ids = StackIds::default();
        self.ends.clear();
        let rewritten = &mut self.stack;
        rewritten.clear();
        rewritten.reserve(stack.len());
        for (index, frame) in Frames::new(stack).enumerate() {
            if index > 0 {
                rewritten.push(b';');
            }
            let start = rewritten.len();
            rename(frame, rewritten);
            clean_frame_in_place(&mut rewritten[start..]);
        }
        rewritten
    }
}

impl Texts {
    /// The rewritten form of `frame`, whose number is `id`.
    #[inline]
    fn of<'a>(
        &'a mut self,
        id: FrameId,
        frame: &'a [u8],
        rename: impl FnOnce(&[u8], &mut Vec<u8>),
    ) -> &'a [u8] {
        let index = id as usize;
        // Frames are numbered in the order in which they first come.
        if index == self.is_same.len() {
            self.renamed.clear();
            rename(frame, &mut self.renamed);
            let start = self.bytes.len();
            clean_frame(&self.renamed, &mut self.bytes);
            self.is_same.push(self.bytes[start..] == *frame);
            self.ends.push(self.bytes.len());
        }
        if self.is_same[index] {
            return frame;
        }
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each frame in brackets; checks that no frame is renamed twice.
    fn bracketed(stacks: &[&str]) -> Vec<String> {
        let mut map = FrameMap::default();
        let mut calls = 0;
        let rewritten = stacks.iter().map(|stack| {
            let text = map.rewrite(stack.as_bytes(), |frame, out| {
                calls += 1;
                out.extend_from_slice(&[b"[", frame, b"]"].concat());
            });
            String::from_utf8(text.to_vec()).expect("ASCII")
        });
        let rewritten = rewritten.collect();
        let distinct: std::collections::BTreeSet<_> =
            stacks.iter().flat_map(|stack| stack.split(';')).collect();
        assert_eq!(calls, distinct.len(), "each distinct frame is renamed once");
        rewritten
    }

    #[test]
    fn what_stacks_share_is_taken_over() {
        let stacks = [
            "main;foo;bar",
            "main;foo;bar",
            "main;foo",
            "main;fo",
            "main;foo;baz;bar",
            "main",
            "mainly;foo",
            "main;",
            "main;;",
            "main",
            "",
            ";",
            "main;foo;bar",
            "x",
        ];
        let expected = stacks.map(|stack| {
            stack.split(';').map(|frame| format!("[{frame}]")).collect::<Vec<_>>().join(";")
        });
        assert_eq!(bracketed(&stacks), expected);
    }

    #[test]
    fn any_two_neighbours_come_out_as_if_alone() {
        let frames = ["", "a", "ab", "b"];
        let mut stacks = Vec::new();
        for a in frames {
            stacks.push(a.to_owned());
            for b in frames {
                stacks.push(format!("{a};{b}"));
                stacks.extend(frames.iter().map(|c| format!("{a};{b};{c}")));
            }
        }
        for first in &stacks {
            for second in &stacks {
                let alone = bracketed(&[second]);
                assert_eq!(bracketed(&[first, second])[1], alone[0], "{second} after {first}");
            }
        }
    }

    #[test]
    fn a_long_stack_is_rewritten_like_others_and_between_them() {
        let long = "main;foo;".to_owned() + &"b".repeat(LONGEST);
        let expected = format!("[main];[foo];[{}]", "b".repeat(LONGEST));
        let mut map = FrameMap::default();
        let bracket = |frame: &[u8], out: &mut Vec<u8>| {
            out.extend_from_slice(&[b"[", frame, b"]"].concat());
        };
        for _ in 0..2 {
            assert_eq!(map.rewrite(b"main;foo", bracket), b"[main];[foo]");
            assert!(map.rewrite(long.as_bytes(), bracket) == expected.as_bytes());
            assert_eq!(map.rewrite(b"main;foo;b", bracket), b"[main];[foo];[b]");
        }
        let broken = ["a;", &"b".repeat(LONGEST)].concat();
        let text = map.rewrite(broken.as_bytes(), |_, out| out.extend_from_slice(b"x;\ny"));
        assert_eq!(text, b"x: y;x: y");
    }

    #[test]
    fn texts_cannot_break_the_line() {
        let mut map = FrameMap::default();
        let text = map.rewrite(b"a;b", |_, out| out.extend_from_slice(b"x;\ny"));
        assert_eq!(text, b"x: y;x: y");
    }
}
