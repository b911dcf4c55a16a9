//! A tree of frames, each with the number of its parent: its caller.

use common::Result;
use common::stacks::FrameId;

use crate::samples::Samples;
use crate::samples::sample::Sample;

/// A frame in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) name: FrameId,
    /// Its weight without its children.
    pub(crate) own: u64,
    /// The number of its parent.
    pub(crate) parent: Option<u32>,
}

/// Adds the stack of each node with its own weight. Nodes with a number below `first` are not
/// frames, though they may be parents.
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

/// The own weights of nodes.
pub(crate) struct Totals {
    pub(crate) own: Vec<u64>,
    /// By how much children weigh more than their parents; all of it is counted.
    pub(crate) excess: u128,
}

/// Computes own weights. For each node, `nodes` has its total with all children, and the number of
/// its parent, which comes before it. A node without a total has no own weight.
pub(crate) fn own_weights(
    nodes: impl DoubleEndedIterator<Item = (Option<u64>, Option<u32>)> + ExactSizeIterator,
) -> Totals {
    let mut own = vec![0u64; nodes.len()];
    let mut excess = 0;
    // Until a node is reached, its entry has the sum of its children.
    for (number, (total, parent)) in nodes.enumerate().rev() {
        let above = own[number];
        let total = total.unwrap_or(above);
        own[number] = total.saturating_sub(above);
        excess += u128::from(above.saturating_sub(total));
        if let Some(parent) = parent {
            own[parent as usize] = own[parent as usize].saturating_add(total);
        }
    }
    Totals { own, excess }
}

/// Whether most nodes weigh less than their children: then the weights are own ones, not totals.
pub(crate) fn are_own(
    nodes: impl DoubleEndedIterator<Item = (Option<u64>, Option<u32>)> + ExactSizeIterator,
) -> bool {
    let mut above: Vec<Option<u64>> = vec![None; nodes.len()];
    let (mut less, mut inner) = (0usize, 0usize);
    for (number, (total, parent)) in nodes.enumerate().rev() {
        let sum = above[number];
        let total = total.or(sum).unwrap_or_default();
        inner += usize::from(sum.is_some());
        less += usize::from(sum.is_some_and(|sum| total < sum));
        if let Some(parent) = parent {
            let sum = &mut above[parent as usize];
            *sum = Some(sum.unwrap_or_default().saturating_add(total));
        }
    }
    less * 2 > inner
}
