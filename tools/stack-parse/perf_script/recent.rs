//! Which frames the last lines stood for.

use std::hash::BuildHasher;

use common::FrameId;
use hashbrown::DefaultHashBuilder;

/// A power of two: large enough that nine of ten lines of a recording with
/// thousands of symbols are found, small enough to stay in the cache.
const SLOTS: usize = 4096;

/// Frames by the text they were read from. Of texts with the same place the
/// last one stays, so memory is bounded whatever the input.
pub(super) struct Recent {
    hasher: DefaultHashBuilder,
    slots: Vec<Slot>,
}

/// Where a text is, or would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u32);

impl Place {
    /// A place like any other.
    pub(super) const FIRST: Place = Place(0);
}

#[derive(Clone, Default)]
struct Slot {
    text: Vec<u8>,
    frame: FrameId,
}

impl Recent {
    pub(super) fn new() -> Recent {
        let slots = vec![Slot::default(); SLOTS];
        Recent { hasher: DefaultHashBuilder::default(), slots }
    }

    /// Where `text` is, if it is known.
    #[inline]
    pub(super) fn place(&self, text: &[u8]) -> Place {
        Place((self.hasher.hash_one(text) >> 32) as u32 % SLOTS as u32)
    }

    /// The text at `place`, empty if there is none, and its frame.
    #[inline]
    pub(super) fn at(&self, place: Place) -> (&[u8], FrameId) {
        let slot = &self.slots[place.0 as usize];
        (&slot.text, slot.frame)
    }

    /// Remembers at `place`, which is the text's own, that `text` stands for
    /// `frame`.
    pub(super) fn put(&mut self, place: Place, text: &[u8], frame: FrameId) {
        let slot = &mut self.slots[place.0 as usize];
        slot.text.clear();
        slot.text.extend_from_slice(text);
        slot.frame = frame;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_found_while_it_stays() {
        let mut recent = Recent::new();
        let texts = [(&b"outer+0x34 (/demo)"[..], 7), (b"outer+0x35 (/demo)", 8)];
        for (text, frame) in texts {
            let place = recent.place(text);
            assert_eq!(recent.at(place).0, b"");
            recent.put(place, text, frame);
        }
        for (text, frame) in texts {
            assert_eq!(recent.at(recent.place(text)), (text, frame));
        }
    }

    #[test]
    fn texts_are_spread() {
        let texts =
            (0..SLOTS).map(|number| format!("symbol_{number}+0x{number:x} (/usr/lib/libc.so.6)"));
        let recent = Recent::new();
        let mut places: Vec<Place> = texts.map(|text| recent.place(text.as_bytes())).collect();
        places.sort_unstable();
        places.dedup();
        // Chance leaves 63 of 100 places taken.
        assert!(places.len() > SLOTS * 6 / 10, "{}", places.len());
    }
}
