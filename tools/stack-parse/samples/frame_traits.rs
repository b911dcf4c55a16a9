//! Frames get numbers, and what is known of them beside their names is kept.

use common::{FrameId, clean_frame};

use super::{CallChains, Samples};
use crate::frame::{Frame, Kind};

/// It was called, in a program.
const USER: u8 = 1;
/// It was called, in the kernel.
const KERNEL: u8 = 2;
/// It was inlined.
const INLINED: u8 = 4;

/// What frames were, by their numbers. Frames of one name share a number, so one may be inlined
/// here and called there. Of frames that a format does not describe nothing is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameTraits(Vec<u8>);

impl FrameTraits {
    /// Notes what `frame` is, whose number is `id`.
    pub(crate) fn note(&mut self, id: FrameId, frame: &Frame<'_>) {
        let is_known = !frame.name.is_empty() || !matches!(frame.object, b"" | b"[unknown]");
        let bits = match frame.kind {
            _ if !is_known => 0,
            _ if frame.inlined => INLINED,
            Kind::Kernel => KERNEL,
            Kind::User | Kind::Jit => USER,
        };
        self.add(id, bits);
    }

    /// Adds what another table knows; `ours` are the numbers here of its frames.
    pub(crate) fn absorb(&mut self, other: &FrameTraits, ours: &[FrameId]) {
        for (&bits, &id) in other.0.iter().zip(ours) {
            self.add(id, bits);
        }
    }

    /// Whether it was called in a program.
    pub(crate) fn is_called_by_program(&self, id: FrameId) -> bool {
        self.bits(id) & USER != 0
    }

    /// Whether it was inlined, sometimes at least.
    pub(crate) fn may_be_inlined(&self, id: FrameId) -> bool {
        self.bits(id) & INLINED != 0
    }

    /// Whether it was always inlined.
    pub(crate) fn is_inlined(&self, id: FrameId) -> bool {
        self.bits(id) == INLINED
    }

    fn add(&mut self, id: FrameId, bits: u8) {
        let index = id as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] |= bits;
    }

    fn bits(&self, id: FrameId) -> u8 {
        self.0.get(id as usize).copied().unwrap_or_default()
    }
}

impl Samples<'_> {
    /// Appends the numbers of the frames that are made of a frame, root first:
    /// nearly always one; nothing if it is dropped.
    pub(crate) fn frames(&mut self, frame: &Frame<'_>, ids: &mut Vec<FrameId>) {
        let Samples { args, text, clean, frames, traits, .. } = self;
        args.frames.for_each_name(frame, text, |name| {
            clean.clear();
            clean_frame(name, clean);
            let id = frames.intern(clean);
            traits.note(id, frame);
            ids.push(id);
        });
    }

    /// Says how the callers of samples were recorded.
    pub(crate) fn set_chains(&mut self, chains: CallChains) {
        self.chains = chains;
    }

    /// The number of a frame with this name.
    #[inline]
    pub(crate) fn frame(&mut self, name: &[u8]) -> FrameId {
        self.text.clear();
        clean_frame(name, &mut self.text);
        self.frames.intern(&self.text)
    }
}
