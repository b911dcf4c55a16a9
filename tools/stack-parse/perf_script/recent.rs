//! Which frames the last lines stood for.

use common::FrameId;

/// A power of two: large enough that nine of ten lines of a recording with
/// thousands of symbols are found, small enough to stay in the cache.
const SLOTS: usize = 4096;

/// Longer texts are not kept: names with many template arguments.
const LONGEST: usize = 250;

/// Frames by the text they were read from. Of texts with the same place the
/// last one stays, so memory is bounded whatever the input.
pub(super) struct Recent {
    slots: Vec<Slot>,
}

/// Where a text is, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u32);

/// A text in the memory beside its frame: a pointer to it would be one more
/// thing to wait for, line by line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    frame: FrameId,
    length: u16,
    text: [u8; LONGEST],
}

impl Recent {
    pub(super) fn new() -> Recent {
        Recent { slots: vec![Slot { frame: 0, length: 0, text: [0; LONGEST] }; SLOTS] }
    }

    /// Where `text` is, if it is known.
    #[inline]
    pub(super) fn place(&self, text: &[u8]) -> Place {
        Place((hash(text) >> 32) as u32 % SLOTS as u32)
    }

    /// The text at `place`, empty if there is none, and its frame.
    #[inline]
    pub(super) fn at(&self, place: Place) -> (&[u8], FrameId) {
        let slot = &self.slots[place.0 as usize];
        (&slot.text[..usize::from(slot.length)], slot.frame)
    }

    /// Remembers at `place`, which is the text's own, that `text` stands for
    /// `frame`; a text that is too long is not remembered.
    pub(super) fn put(&mut self, place: Place, text: &[u8], frame: FrameId) {
        let slot = &mut self.slots[place.0 as usize];
        if let Some(start) = slot.text.get_mut(..text.len()) {
            start.copy_from_slice(text);
            slot.length = text.len() as u16;
            slot.frame = frame;
        }
    }
}

/// Mixes eight bytes at a time, the last ones perhaps twice.
#[inline]
fn hash(text: &[u8]) -> u64 {
    const MIXER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: [u8; 8]| {
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(MIXER).rotate_left(23)
    };
    let (words, rest) = text.as_chunks::<8>();
    let hash = words.iter().fold(text.len() as u64, |hash, &word| mix(hash, word));
    let last = text.last_chunk::<8>().copied().unwrap_or_else(|| {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        word
    });
    mix(hash, last)
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
    fn texts_that_are_too_long_are_not_kept() {
        let mut recent = Recent::new();
        for (length, is_kept) in [(LONGEST, true), (LONGEST + 1, false)] {
            let text = vec![b'x'; length];
            let place = recent.place(&text);
            recent.put(place, &text, 7);
            assert_eq!(recent.at(place).0 == text, is_kept, "{length}");
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
