//! Frames of one kind of code: `--kind`.

use common::names::CodeKind;
use common::pipe::KindsOfFrames;

/// A kind of code, and which frames are of it.
#[derive(Debug)]
pub(crate) struct OfKind {
    pub(crate) kind: CodeKind,
    /// Whether all lines of the input that is read show the kinds, not a file of `--kinds-of`.
    pub(crate) learns: bool,
    pub(crate) kinds: KindsOfFrames,
}

impl OfKind {
    pub(crate) fn holds(&self, frame: &[u8]) -> bool {
        self.kinds.is_of(frame, self.kind)
    }
}
