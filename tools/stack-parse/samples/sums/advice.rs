//! Advice that a format can give on a whole recording.

use common::pipe::Pipe;
use common::stacks::{FrameTable, StackTree};

use super::frame_traits::FrameTraits;

/// Reports what is wrong with a recording: one note with its remedy for each problem.
pub(crate) type Advice = fn(&Recorded<'_>, &mut Pipe);

/// How the callers of samples were recorded, as far as is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallChains {
    /// Not at all, or unknown.
    #[default]
    None,
    /// In some unknown way; the input is a text with call chains.
    Printed,
    /// By frame pointers.
    FramePointers,
    /// In another way; the format itself reports what is wrong with these.
    Others,
}

/// The samples of all inputs together.
pub(crate) struct Recorded<'a> {
    pub(crate) tree: &'a StackTree,
    pub(crate) frames: &'a FrameTable,
    pub(crate) traits: &'a FrameTraits,
    pub(crate) chains: CallChains,
    /// How many frames at the root are not from call chains, such as the event and the thread.
    pub(crate) root_frames: u32,
    /// The number of samples, with those that were left out.
    pub(crate) samples: u128,
}
