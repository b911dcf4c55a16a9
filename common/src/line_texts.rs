//! The order of folded lines, from that of the texts their frames put in.

use std::cmp::Ordering;

use crate::{FrameId, FrameTable};

/// What frames may put into a line, sorted: a name as the leaf, or else a name
/// and a `;`. Only so are lines in the order of their frames' texts: `a`, then
/// `a b`, then `a;c`, since a space sorts before `;`.
pub(crate) struct LineTexts<'a> {
    frames: &'a FrameTable,
    sorted: Vec<Text>,
    /// For each frame, the places of its two texts in `sorted`.
    places: Vec<[u32; 2]>,
}

#[derive(Clone, Copy)]
struct Text {
    frame: FrameId,
    is_leaf: bool,
}

impl<'a> LineTexts<'a> {
    /// # Panics
    ///
    /// When there are 2^31 frames.
    pub(crate) fn of(frames: &'a FrameTable) -> LineTexts<'a> {
        let ids = 0..frames.len() as FrameId;
        let both = |frame| [Text { frame, is_leaf: true }, Text { frame, is_leaf: false }];
        let mut sorted: Vec<Text> = ids.flat_map(both).collect();
        sorted.sort_unstable_by(|a, b| a.compare(b, frames));
        let count = u32::try_from(sorted.len()).expect("fewer than 2^31 distinct frames");
        let mut places = vec![[0; 2]; frames.len()];
        for (place, text) in (0..count).zip(&sorted) {
            places[text.frame as usize][usize::from(text.is_leaf)] = place;
        }
        LineTexts { frames, sorted, places }
    }

    /// How many texts there are; their places are below it.
    pub(crate) fn len(&self) -> u32 {
        self.sorted.len() as u32
    }

    /// The place of the text of a leaf.
    #[inline]
    pub(crate) fn leaf(&self, frame: FrameId) -> u32 {
        self.places[frame as usize][1]
    }

    /// The place of the text of a frame that is no leaf.
    #[inline]
    pub(crate) fn inner(&self, frame: FrameId) -> u32 {
        self.places[frame as usize][0]
    }

    /// Appends the text at `place`.
    #[inline]
    pub(crate) fn append(&self, place: u32, out: &mut Vec<u8>) {
        let Text { frame, is_leaf } = self.sorted[place as usize];
        out.extend_from_slice(self.frames.name(frame));
        if !is_leaf {
            out.push(b';');
        }
    }
}

impl Text {
    fn compare(&self, other: &Text, frames: &FrameTable) -> Ordering {
        let (ours, theirs) = (frames.name(self.frame), frames.name(other.frame));
        let common = ours.len().min(theirs.len());
        let rest = |text: &Text, name: &[u8]| {
            let separator = (!text.is_leaf).then_some(b';');
            name.get(common).copied().or(separator)
        };
        // Only where one name starts the other does what follows it matter.
        let names = ours[..common].cmp(&theirs[..common]);
        names.then_with(|| rest(self, ours).cmp(&rest(other, theirs)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_in_the_order_of_their_bytes() {
        let mut frames = FrameTable::default();
        for name in ["b", "", "ab", "a", "a b", "a<", "\u{e9}"] {
            frames.intern(name.as_bytes());
        }
        let texts = LineTexts::of(&frames);
        let text = |place| {
            let mut text = Vec::new();
            texts.append(place, &mut text);
            text
        };
        let all: Vec<_> = (0..texts.len()).map(text).collect();
        assert!(all.is_sorted() && all.len() == 14, "{all:?}");
        for frame in 0..frames.len() as FrameId {
            assert_eq!(text(texts.leaf(frame)), frames.name(frame));
            assert_eq!(text(texts.inner(frame)), [frames.name(frame), b";"].concat());
        }
    }
}
