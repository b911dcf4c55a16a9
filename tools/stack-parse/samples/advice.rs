//! What a format can say of a whole recording.

use common::{FrameTable, Pipe, StackTree};

/// Says what is wrong with a recording, a note each, with the remedy.
pub(crate) type Advice = fn(&Recorded<'_>, &mut Pipe);

/// What all inputs hold together.
pub(crate) struct Recorded<'a> {
    pub(crate) tree: &'a StackTree,
    pub(crate) frames: &'a FrameTable,
    /// How many frames at the root no call chain has, such as the event and the thread.
    pub(crate) root_frames: u32,
    /// How many samples there are, those that were left out among them.
    pub(crate) samples: u128,
}
