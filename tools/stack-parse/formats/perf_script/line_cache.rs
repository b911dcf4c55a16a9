//! A cache of the frames of recent lines.

use common::stacks::FrameId;

use super::line_hash::LineHash;

/// A power of two: large enough for the lines that come again and again, small
/// enough to stay in the processor's cache with their texts.
const SLOTS: usize = 2048;

/// Longer texts, in bytes, are rare and not cached.
const LONGEST: usize = 1024;

/// Maps texts to their frames. A slot keeps the last text that missed it twice in a row: lines that
/// come only once, of which there are many, cost no copy, and memory is bounded for any input.
pub(super) struct LineCache {
    slots: Box<[Slot; SLOTS]>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    text: Vec<u8>,
    frame: FrameId,
    /// The hash of the last line that missed in this slot.
    missed: LineHash,
}

impl LineCache {
    pub(super) fn new() -> LineCache {
        let slots = vec![Slot::default(); SLOTS].try_into().expect("as many as there are");
        LineCache { slots }
    }

    /// The frame of `text`, which is not empty, if it is in the slot of this hash.
    #[inline]
    pub(super) fn find(&self, hash: LineHash, text: &[u8]) -> Option<FrameId> {
        let slot = &self.slots[hash.slot::<SLOTS>()];
        (slot.text == text).then_some(slot.frame)
    }

    /// Caches `frame` for `text`, which is not empty and not in its slot, if the last line that
    /// missed there had the same hash.
    pub(super) fn put(&mut self, hash: LineHash, text: &[u8], frame: FrameId) {
        if text.len() > LONGEST {
            return;
        }
        let slot = &mut self.slots[hash.slot::<SLOTS>()];
        if std::mem::replace(&mut slot.missed, hash) != hash {
            return;
        }
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
    fn what_missed_twice_is_found_until_something_else_takes_its_slot() {
        let mut cache = LineCache::new();
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            for _ in 0..2 {
                assert_eq!(cache.find(LineHash::of(line), line), None);
                cache.put(LineHash::of(line), line, frame);
            }
        }
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            assert_eq!(cache.find(LineHash::of(line), line), Some(frame));
        }
        cache.put(LineHash::of(LINE), OTHER, 9);
        assert_eq!(cache.find(LineHash::of(LINE), LINE), None);
    }

    #[test]
    fn lines_that_come_once_take_no_slot() {
        let mut cache = LineCache::new();
        (0..2).for_each(|_| cache.put(LineHash::of(LINE), LINE, 7));
        let others: Vec<_> =
            (0..4096).map(|digits| format!("\t    55d0c1a0f{digits:03x} g (/demo)")).collect();
        let slot = LineHash::of(LINE).slot::<SLOTS>();
        assert!(others.iter().any(|it| LineHash::of(it.as_bytes()).slot::<SLOTS>() == slot));
        for other in &others {
            cache.put(LineHash::of(other.as_bytes()), other.as_bytes(), 8);
        }
        assert_eq!(cache.find(LineHash::of(LINE), LINE), Some(7));
    }
}
