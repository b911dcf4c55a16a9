//! The order of folded lines, from that of the texts their frames put in.

use crate::{FrameId, FrameTable};

/// What frames may put into a line, sorted: a name as the leaf, or else a name
/// and a `;`. Only so are lines in the order of their frames' texts: `a`, then
/// `a b`, then `a;c`, since a space sorts before `;`.
pub(crate) struct LineTexts {
    texts: FrameTable,
    /// For each frame, the places of its two texts.
    places: Vec<FrameId>,
}

impl LineTexts {
    pub(crate) fn of(frames: &FrameTable) -> LineTexts {
        let mut texts = FrameTable::default();
        let mut inner = Vec::new();
        for frame in 0..frames.len() as FrameId {
            let name = frames.name(frame);
            inner.clear();
            inner.extend_from_slice(name);
            inner.push(b';');
            texts.intern(name);
            texts.intern(&inner);
        }
        let (texts, places) = texts.sorted();
        LineTexts { texts, places }
    }

    /// The texts; of two, the smaller one has the smaller number.
    pub(crate) fn texts(&self) -> &FrameTable {
        &self.texts
    }

    /// The number of the text of a leaf.
    #[inline]
    pub(crate) fn leaf(&self, frame: FrameId) -> FrameId {
        self.places[2 * frame as usize]
    }

    /// The number of the text of a frame that is no leaf.
    #[inline]
    pub(crate) fn inner(&self, frame: FrameId) -> FrameId {
        self.places[2 * frame as usize + 1]
    }
}
