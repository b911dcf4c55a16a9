//! The stacks of the file, which come before the events.

use bstr::ByteSlice;
use hashbrown::HashMap;

use crate::frame::{Frame, Kind};
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::Samples;

/// The stacks by their ids, and the frames of stacks and spans.
#[derive(Default)]
pub(super) struct StackTable {
    pub(super) stacks: Stacks,
    pub(super) names: FrameNames,
    /// The indexes of frames, by their text and, after a 0 byte, their source line.
    frames: HashMap<Vec<u8>, u32>,
    ids: HashMap<u64, StackId>,
}

impl StackTable {
    /// How many stacks there are.
    pub(super) fn len(&self) -> u64 {
        self.ids.len() as u64
    }

    /// Adds a stack; `sources` has the source line of each frame, or is empty.
    pub(super) fn add(
        &mut self,
        id: u64,
        frames: &[Vec<u8>],
        sources: &[Vec<u8>],
        samples: &mut Samples<'_>,
    ) {
        let mut stack = Stacks::EMPTY;
        for (place, text) in frames.iter().enumerate() {
            let source = sources.get(place).map_or(&b""[..], |source| source);
            let frame = self.frame(text, source, samples);
            stack = self.stacks.call(stack, frame);
        }
        self.ids.insert(id, stack);
    }

    /// The stack with this id.
    pub(super) fn get(&self, id: u64) -> Option<StackId> {
        self.ids.get(&id).copied()
    }

    /// The index of a frame.
    pub(super) fn frame(&mut self, text: &[u8], source: &[u8], samples: &mut Samples<'_>) -> u32 {
        let next = self.names.len() as u32;
        let key = [text, b"\0", source].concat();
        let number = *self.frames.entry(key).or_insert(next);
        if number == next {
            self.names.push(&Frame { source, ..parse(text) }, samples);
        }
        number
    }
}

/// Parses `[U] main+0x1a`, `[U] get+0x1a (inlined)`, `[K] do_syscall_64`, `[Py] run` and
/// `[K] <unknown>`.
fn parse(text: &[u8]) -> Frame<'_> {
    let (kind, text) = match text {
        [b'[', b'K', b']', b' ', text @ ..] => (Kind::Kernel, text),
        [b'[', b'U', b']', b' ', text @ ..] | [b'[', b'P', b'y', b']', b' ', text @ ..] => {
            (Kind::User, text)
        }
        text => (Kind::User, text),
    };
    let (name, inlined) = match text.strip_suffix(b" (inlined)") {
        Some(name) => (name, true),
        None => (text, false),
    };
    let name = match without_offset(name) {
        b"<unknown>" => b"",
        name => name,
    };
    Frame { name, kind, inlined, ..Frame::default() }
}

/// `main` of `main+0x1a`.
fn without_offset(name: &[u8]) -> &[u8] {
    let Some((function, offset)) = name.rsplit_once_str("+0x") else { return name };
    let is_offset = !offset.is_empty() && offset.iter().all(u8::is_ascii_hexdigit);
    if is_offset && !function.is_empty() { function } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_in_all_forms() {
        for (text, name, kind, inlined) in [
            ("[U] main+0x1a", "main", Kind::User, false),
            ("[U] get+0x1a (inlined)", "get", Kind::User, true),
            ("[U] a::b<c>(int)", "a::b<c>(int)", Kind::User, false),
            ("[K] do_syscall_64+0x6b", "do_syscall_64", Kind::Kernel, false),
            ("[K] <unknown>", "", Kind::Kernel, false),
            ("[Py] module.run", "module.run", Kind::User, false),
            ("[U] operator+", "operator+", Kind::User, false),
            ("[U] f+0x", "f+0x", Kind::User, false),
            ("[U] +0x1", "+0x1", Kind::User, false),
            ("[U] [K] f", "[K] f", Kind::User, false),
            ("", "", Kind::User, false),
        ] {
            let expected = Frame { name: name.as_bytes(), kind, inlined, ..Frame::default() };
            assert_eq!(parse(text.as_bytes()), expected, "{text}");
        }
    }
}
