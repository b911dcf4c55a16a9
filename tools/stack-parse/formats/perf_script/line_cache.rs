//! The frames of lines that were read lately.

use common::FrameId;

use super::line_hash::LineHash;

/// A power of two: large enough for the lines that come again and again, small
/// enough to stay in the processor's cache with their texts.
const SLOTS: usize = 2048;

/// Longer texts are rare and not kept, in bytes.
const LONGEST: usize = 1024;

/// Frames by the text they were read from, the last text of each hash: memory is
/// bounded whatever the input.
pub(super) struct LineCache {
    slots: Box<[Slot; SLOTS]>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    text: Vec<u8>,
    frame: FrameId,
}

impl LineCache {
    pub(super) fn new() -> LineCache {
        let slots = vec![Slot::default(); SLOTS].try_into().expect("as many as there are");
        LineCache { slots }
    }

    /// The frame of `text`, which is not empty, if it was put last for this hash.
    #[inline]
    pub(super) fn find(&self, hash: LineHash, text: &[u8]) -> Option<FrameId> {
        let slot = &self.slots[hash.slot::<SLOTS>()];
        (slot.text == text).then_some(slot.frame)
    }

    /// Remembers that `text`, which is not empty, stands for `frame`.
    pub(super) fn put(&mut self, hash: LineHash, text: &[u8], frame: FrameId) {
        if text.len() > LONGEST {
            return;
        }
        let slot = &mut self.slots[hash.slot::<SLOTS>()];
        slot.text.clear();
        slot.text.extend_from_slice(text);
        slot.frame = frame;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = b"\t    55d0c1a0f2a4 outer+0x34 (/demo)";
    const OTHER: &[u8] = b"\t    55d0c1a0f2b6 outer+0x46 (/demo)";

    #[test]
    fn what_was_put_is_found_until_something_else_takes_its_slot() {
        let mut cache = LineCache::new();
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            assert_eq!(cache.find(LineHash::of(line), line), None);
            cache.put(LineHash::of(line), line, frame);
        }
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            assert_eq!(cache.find(LineHash::of(line), line), Some(frame));
        }
        cache.put(LineHash::of(LINE), OTHER, 9);
        assert_eq!(cache.find(LineHash::of(LINE), LINE), None);
    }
}
