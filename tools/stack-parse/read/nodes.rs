//! A tree of frames, each of which knows the one it stands on.

use common::{FrameId, Result};

use crate::samples::Samples;
use crate::samples::sample::Sample;

/// A frame in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) name: FrameId,
    /// What is in none that stands on it.
    pub(crate) own: u64,
    /// The number of the frame it stands on.
    pub(crate) parent: Option<u32>,
}

/// Adds the stack of each node with its own weight. The nodes are those with the numbers
/// from `first` on: one before is no frame, though others stand on it.
pub(crate) fn add(
    count: usize,
    first: usize,
    node: impl Fn(usize) -> Node,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let mut stack = Vec::new();
    for number in 0..count {
        let own = node(number).own;
        if own == 0 {
            continue;
        }
        stack.clear();
        let mut next = Some(number);
        while let Some(number) = next.filter(|&number| number >= first) {
            let node = node(number);
            stack.push(node.name);
            next = node.parent.map(|parent| parent as usize);
        }
        stack.reverse();
        samples.add(&Sample { weights: &[own], ..Sample::default() }, &stack)?;
    }
    Ok(())
}
