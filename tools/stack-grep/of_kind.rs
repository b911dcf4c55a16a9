//! Frames of one kind of code: `--kind`.

use common::names::CodeKind;
use common::pipe::KindsOfFrames;

/// A kind of code, and which frames are of it.
#[derive(Debug)]
pub(crate) struct OfKind {
    pub(crate) kind: CodeKind,
    pub(crate) kinds: Kinds,
}

/// Where the kinds of frames are known from.
#[derive(Debug)]
pub(crate) enum Kinds {
    /// From a file of their own: `--kinds-of`.
    OfFile(KindsOfFrames),
    /// From all lines of the input that is read.
    OfInput(KindsOfFrames),
}

impl OfKind {
    pub(crate) fn holds(&self, frame: &[u8]) -> bool {
        let (Kinds::OfFile(kinds) | Kinds::OfInput(kinds)) = &self.kinds;
        kinds.is_of(frame, self.kind)
    }
}
