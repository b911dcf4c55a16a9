//! Which function each frame is of.

use common::names::{FrameParts, file_and_line};
use common::stacks::{FrameId, FrameTable};

/// The number of a function.
pub(crate) type FunctionId = FrameId;

/// The functions of all frames. Frames of one function may differ in their places and marks.
pub(crate) struct Functions {
    names: FrameTable,
    of_frame: Vec<FunctionId>,
}

/// The file of a frame and the line in it, which is 0 if it is unknown.
pub(crate) type Place<'a> = (&'a [u8], u32);

impl Functions {
    pub(crate) fn of(frames: &FrameTable) -> Functions {
        let mut names = FrameTable::default();
        let of_frame = (0..frames.len() as FrameId)
            .map(|frame| names.intern(FrameParts::of(frames.name(frame)).name))
            .collect();
        Functions { names, of_frame }
    }

    pub(crate) fn of_frame(&self, frame: FrameId) -> FunctionId {
        self.of_frame[frame as usize]
    }

    pub(crate) fn name(&self, function: FunctionId) -> &[u8] {
        self.names.name(function)
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }
}

/// The place of a frame.
pub(crate) fn place(frame: &[u8]) -> Place<'_> {
    file_and_line(FrameParts::of(frame).place)
}
