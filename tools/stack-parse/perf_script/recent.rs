//! Which frames the last lines stood for.

use common::FrameId;

/// A power of two: large enough that nine of ten lines of a recording with
/// thousands of symbols are found, small enough to stay in the cache.
const SLOTS: usize = 4096;

/// Frames by the text they were read from. Of texts with the same place the
/// last one stays, so memory is bounded whatever the input.
pub(super) struct Recent {
    slots: Vec<Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    text: Vec<u8>,
    frame: FrameId,
}

impl Recent {
    pub(super) fn new() -> Recent {
        Recent { slots: vec![Slot::default(); SLOTS] }
    }

    /// The frame that `text` stands for, if it is known.
    #[inline]
    pub(super) fn get(&self, text: &[u8]) -> Option<FrameId> {
        let slot = &self.slots[place(text)];
        (slot.text == text && !text.is_empty()).then_some(slot.frame)
    }

    /// Remembers that `text`, if it is not empty, stands for `frame`.
    pub(super) fn put(&mut self, text: &[u8], frame: FrameId) {
        let slot = &mut self.slots[place(text)];
        slot.text.clear();
        slot.text.extend_from_slice(text);
        slot.frame = frame;
    }
}

/// Mixes eight bytes at a time, the last ones perhaps twice.
#[inline]
fn place(text: &[u8]) -> usize {
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
    (mix(hash, last) >> 32) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_found_while_it_stays() {
        let mut recent = Recent::new();
        assert_eq!(recent.get(b"outer+0x34 (/demo)"), None);
        recent.put(b"outer+0x34 (/demo)", 7);
        recent.put(b"outer+0x35 (/demo)", 8);
        assert_eq!(recent.get(b"outer+0x34 (/demo)"), Some(7));
        assert_eq!(recent.get(b"outer+0x35 (/demo)"), Some(8));
        recent.put(b"", 9);
        assert_eq!(recent.get(b""), None);
    }

    #[test]
    fn texts_are_spread() {
        let texts =
            (0..SLOTS).map(|number| format!("symbol_{number}+0x{number:x} (/usr/lib/libc.so.6)"));
        let mut places: Vec<usize> = texts.map(|text| place(text.as_bytes())).collect();
        places.sort_unstable();
        places.dedup();
        // Chance leaves 63 of 100 places taken.
        assert!(places.len() > SLOTS * 6 / 10, "{}", places.len());
    }
}
