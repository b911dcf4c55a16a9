//! Which frames the lines stood for that came twice lately.

use common::FrameId;

use super::glance::Glance;

/// A power of two: large enough for the lines that come again and again, small
/// enough to stay in the cache with their texts.
const SLOTS: usize = 2048;

/// Frames by the text they were read from. Of texts with the same place the
/// last one stays that came twice, so memory is bounded whatever the input, and
/// lines that come once, of which there are many, cost no copy.
pub(super) struct Recent {
    slots: Box<[Slot; SLOTS]>,
}

/// Where a text is, or would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u32);

impl Place {
    /// A place like any other.
    pub(super) const FIRST: Place = Place(0);
}

#[derive(Clone, Debug, Default)]
struct Slot {
    text: Vec<u8>,
    frame: FrameId,
    /// What was seen of the last line that had this place in vain.
    missed: Glance,
}

impl Recent {
    pub(super) fn new() -> Recent {
        let slots = vec![Slot::default(); SLOTS].try_into().expect("as many as there are");
        Recent { slots }
    }

    /// Where the text of `line` is, if it is known.
    #[inline]
    pub(super) fn place(line: Glance) -> Place {
        Place((line.number() % SLOTS) as u32)
    }

    /// The text at `place`, empty if there is none, and its frame.
    #[inline]
    pub(super) fn at(&self, place: Place) -> (&[u8], FrameId) {
        let slot = &self.slots[place.0 as usize];
        (&slot.text, slot.frame)
    }

    /// True if and only if the last line that had this place in vain looked like
    /// `line`, which has it in vain too.
    #[inline]
    pub(super) fn is_missed_again(&mut self, place: Place, line: Glance) -> bool {
        std::mem::replace(&mut self.slots[place.0 as usize].missed, line) == line
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

    const LINE: &[u8] = b"\t    55d0c1a0f2a4 outer+0x34 (/demo)";
    const OTHER: &[u8] = b"\t    55d0c1a0f2b6 outer+0x46 (/demo)";

    #[test]
    fn what_was_put_is_found_while_it_stays() {
        let mut recent = Recent::new();
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            let place = Recent::place(Glance::of(line));
            assert_eq!(recent.at(place).0, b"");
            recent.put(place, line, frame);
        }
        for (line, frame) in [(LINE, 7), (OTHER, 8)] {
            assert_eq!(recent.at(Recent::place(Glance::of(line))), (line, frame));
        }
    }

    #[test]
    fn a_line_counts_from_the_second_time_on() {
        let mut recent = Recent::new();
        let place = Recent::place(Glance::of(LINE));
        let answers = [LINE, LINE, LINE, OTHER, LINE]
            .map(|line| recent.is_missed_again(place, Glance::of(line)));
        assert_eq!(answers, [false, true, true, false, false]);
    }

    #[test]
    fn texts_are_spread() {
        let line =
            |number| format!("\t    7f21c93{number:05x} symbol+0x{number:x} (/usr/lib/libc.so.6)");
        let lines = (0..SLOTS).map(|number| line(number * 7));
        let mut places: Vec<Place> =
            lines.map(|line| Recent::place(Glance::of(line.as_bytes()))).collect();
        places.sort_unstable();
        places.dedup();
        // Chance leaves 63 of 100 places taken.
        assert!(places.len() > SLOTS * 6 / 10, "{}", places.len());
    }
}
