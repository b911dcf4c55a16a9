//! Keeps for each frame whether it was called or inlined.

use common::stacks::FrameId;

use crate::frame::{Frame, Kind};

/// It was called in a program.
const USER: u8 = 1;
/// It was called in the kernel.
const KERNEL: u8 = 2;
/// It was inlined.
const INLINED: u8 = 4;

/// How frames occurred, as bits, indexed by the frame's id. Frames with one name share an id, so
/// one may be both inlined and called. No bit is set for frames that a format does not describe.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameTraits(Vec<u8>);

impl FrameTraits {
    /// Notes how `frame` occurred, which has this id.
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

    /// Adds the bits of another table; `ours` maps its ids to those of this table.
    pub(crate) fn absorb(&mut self, other: &FrameTraits, ours: &[FrameId]) {
        for (&bits, &id) in other.0.iter().zip(ours) {
            self.add(id, bits);
        }
    }

    /// Whether it was called in a program.
    pub(crate) fn is_called_by_program(&self, id: FrameId) -> bool {
        self.bits(id) & USER != 0
    }

    /// Whether it was inlined at least once.
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
