//! Which frames the lines stood for that came twice lately.

use common::FrameId;

use super::line_hash::LineHash;

/// A power of two: large enough for the lines that come again and again, small
/// enough to stay in the cache with their texts.
const SLOTS: usize = 2048;

/// Frames by the text they were read from. Of texts with the same place the
/// last one stays that came twice, so memory is bounded whatever the input, and
/// lines that come once, of which there are many, cost no copy.
pub(super) struct LineCache {
    slots: Box<[Slot; SLOTS]>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    text: Vec<u8>,
    frame: FrameId,
    /// What was seen of the last line that had this place in vain.
    missed: LineHash,
}

impl LineCache {
    pub(super) fn new() -> LineCache {
        let slots = vec![Slot::default(); SLOTS].try_into().expect("as many as there are");
        LineCache { slots }
    }

    /// The text at the place of lines like `line`, empty if there is none, and
    /// its frame.
    #[inline]
    pub(super) fn at(&self, line: LineHash) -> (&[u8], FrameId) {
        let slot = &self.slots[place(line)];
        (&slot.text, slot.frame)
    }

    /// True if and only if the last line that had the place of `line` in vain
    /// looked like it, which has it in vain too.
    #[inline]
    pub(super) fn is_missed_again(&mut self, line: LineHash) -> bool {
        std::mem::replace(&mut self.slots[place(line)].missed, line) == line
    }

    /// Remembers that `text`, which is that of `line`, stands for `frame`.
    pub(super) fn put(&mut self, line: LineHash, text: &[u8], frame: FrameId) {
        let slot = &mut self.slots[place(line)];
        slot.text.clear();
        slot.text.extend_from_slice(text);
        slot.frame = frame;
    }
}

/// Where the text of `line` is, if it is known.
#[inline]
fn place(line: LineHash) -> usize {
    line.number() % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] = b"\t    55d0c1a0f2a4 outer+0x34 (/demo)";
    const OTHER: &[u8] = b"\t    55d0c1a0f2b6 outer+0x46 (/demo)";

    #[test]
    fn what_was_put_is_found_while_it_stays() {
        let mut cache = LineCache::new();
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            assert_eq!(cache.at(LineHash::of(line)).0, b"");
            cache.put(LineHash::of(line), line, frame);
        }
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            assert_eq!(cache.at(LineHash::of(line)), (line, frame));
        }
    }

    #[test]
    fn a_line_counts_from_the_second_time_on() {
        let mut cache = LineCache::new();
        let line = LineHash::of(LINE);
        // Another line that wants the same place.
        let other = (0..)
            .map(|number| LineHash::of(self::line(number).as_bytes()))
            .find(|&other| other != line && place(other) == place(line))
            .expect("there are few places");
        let answers = [line, line, line, other, line].map(|line| cache.is_missed_again(line));
        assert_eq!(answers, [false, true, true, false, false]);
    }

    #[test]
    fn texts_are_spread() {
        let lines = (0..SLOTS).map(|number| line(number * 7));
        let mut places: Vec<usize> =
            lines.map(|line| place(LineHash::of(line.as_bytes()))).collect();
        places.sort_unstable();
        places.dedup();
        // Chance leaves 63 of 100 places taken.
        assert!(places.len() > SLOTS * 6 / 10, "{}", places.len());
    }

    fn line(number: usize) -> String {
        format!("\t    7f21c93{number:05x} symbol+0x{number:x} (/usr/lib/libc.so.6)")
    }
}
