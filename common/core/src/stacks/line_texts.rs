//! The order of folded lines, from the order of the texts of their frames.

use crate::stacks::room::{filled, with_room};
use crate::stacks::{FrameId, FrameTable};

/// The texts that frames have in a line, sorted: the leaf's is its name, that of
/// other frames is the name and a `;`. Lines are in the order of these texts, not
/// of the names alone: `a`, then `a b`, then `a;c`, as a space sorts before `;`.
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
        let mut sorted = with_room(2 * frames.len());
        // Frames whose text with `;` is not in `sorted` yet. Each name starts the next.
        let mut open: Vec<FrameId> = Vec::new();
        for frame in frames.order() {
            let name = frames.name(frame);
            // Names such as `a b` sort between `a` and `a;`.
            let is_within = |outer: &FrameId| {
                let rest = name.strip_prefix(frames.name(*outer));
                rest.is_some_and(|rest| rest.first().is_some_and(|&next| next < b';'))
            };
            while let Some(outer) = open.pop_if(|outer| !is_within(outer)) {
                sorted.push(Text { frame: outer, is_leaf: false });
            }
            sorted.push(Text { frame, is_leaf: true });
            open.push(frame);
        }
        sorted.extend(open.into_iter().rev().map(|frame| Text { frame, is_leaf: false }));
        let count = u32::try_from(sorted.len()).expect("fewer than 2^31 distinct frames");
        let mut places = filled([0; 2], frames.len());
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

    /// The place of the text of a frame that is not a leaf.
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
