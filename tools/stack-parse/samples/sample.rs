//! A sample, as every format tells it.

use common::NodeId;

/// Where and when a sample happened; what is unknown is empty or `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin<'a> {
    /// The thread's name.
    pub(crate) comm: &'a [u8],
    pub(crate) pid: Option<&'a [u8]>,
    pub(crate) tid: Option<&'a [u8]>,
    pub(crate) cpu: Option<&'a [u8]>,
    /// Seconds, in decimal.
    pub(crate) time: Option<&'a [u8]>,
    pub(crate) event: &'a [u8],
    /// In the event's unit; 1 where the format does not tell.
    pub(crate) period: u64,
    /// What a tracepoint says of itself.
    pub(crate) text: &'a [u8],
}

/// A sample that is wanted and whose frames are still to come; or several of
/// the same frames and period.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// The node of the root frames, to which the sample's frames are added.
    pub(crate) base: NodeId,
    /// The number of the event.
    pub(crate) event: usize,
    /// How many samples these are.
    pub(crate) samples: u64,
    /// As in [`Origin`].
    pub(crate) period: u64,
}
