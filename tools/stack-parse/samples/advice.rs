//! What a format can say of a whole recording.

use common::{FrameTable, Pipe, StackTree};

use super::frame_traits::FrameTraits;

/// Says what is wrong with a recording, a note each, with the remedy.
pub(crate) type Advice = fn(&Recorded<'_>, &mut Pipe);

/// What is known of how the callers of samples were recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallChains {
    /// They were not, as far as is known.
    #[default]
    None,
    /// In a text that has call chains, recorded in whatever way.
    Printed,
    /// By frame pointers.
    FramePointers,
    /// In another way, whose troubles the format reports itself.
    Others,
}

/// What all inputs hold together.
pub(crate) struct Recorded<'a> {
    pub(crate) tree: &'a StackTree,
    pub(crate) frames: &'a FrameTable,
    pub(crate) traits: &'a FrameTraits,
    pub(crate) chains: CallChains,
    /// How many frames at the root no call chain has, such as the event and the thread.
    pub(crate) root_frames: u32,
    /// How many samples there are, those that were left out among them.
    pub(crate) samples: u128,
}
