//! Trees of frames in which each node has the number of its parent: its caller, or its folder.

use common::{Result, stacks::FrameId};

use crate::samples::Samples;
use crate::samples::sample::Sample;

/// A node of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'n> {
    /// Its frames, root first.
    pub(crate) frames: &'n [FrameId],
    /// Its weight without its children, one number for each measure.
    pub(crate) own: &'n [u64],
    /// The number of its parent.
    pub(crate) parent: Option<u32>,
}

/// Adds the stack of each node with its own weight, and the other fields of `origin`. Nodes with a
/// number below `first` are not frames, though they may be parents.
pub(crate) fn add<'n>(
    count: usize,
    first: usize,
    node: impl Fn(usize) -> Node<'n>,
    origin: &Sample<'_>,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let mut stack = Vec::new();
    for number in 0..count {
        let weights = node(number).own;
        if weights.iter().all(|weight| *weight == 0) {
            continue;
        }
        stack.clear();
        let mut next = Some(number);
        while let Some(number) = next.filter(|&number| number >= first) {
            let node = node(number);
            stack.extend(node.frames.iter().rev());
            next = node.parent.map(|parent| parent as usize);
        }
        stack.reverse();
        samples.add(&Sample { weights, ..*origin }, &stack)?;
    }
    Ok(())
}

/// A function on one path of calls.
#[derive(Debug)]
pub(crate) struct Call {
    /// Its frames, root first.
    pub(crate) frames: Vec<FrameId>,
    /// Its weight with all callees, one number for each measure.
    pub(crate) totals: Vec<u64>,
    /// The number of its caller, which comes before it.
    pub(crate) caller: Option<u32>,
}

/// Adds the own weight of each call. Their sum is the total of all calls without a caller; a note
/// for each measure reports any difference.
pub(crate) fn add_calls(calls: &[Call], measures: usize, samples: &mut Samples<'_>) -> Result<()> {
    add_calls_of(&Sample::default(), calls, measures, samples)
}

/// Like [`add_calls`], with samples that have the fields of `origin`.
pub(crate) fn add_calls_of(
    origin: &Sample<'_>,
    calls: &[Call],
    measures: usize,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let totals = |measure: usize| calls.iter().map(move |it| (Some(it.totals[measure]), it.caller));
    let totals: Vec<Totals> = (0..measures).map(|measure| own_weights(totals(measure))).collect();
    let own = |number: usize| totals.iter().map(|totals| totals.own[number]).collect();
    let own: Vec<Vec<u64>> = (0..calls.len()).map(own).collect();
    let node = |number: usize| {
        let Call { frames, caller, .. } = &calls[number];
        Node { frames, own: &own[number], parent: *caller }
    };
    add(calls.len(), 0, node, origin, samples)?;
    totals.iter().for_each(|totals| note_excess(totals.excess, samples));
    Ok(())
}

/// Notes by how much callees weigh more than their callers, if they do.
pub(crate) fn note_excess(excess: u128, samples: &mut Samples<'_>) {
    if excess > 0 {
        samples.note(format_args!(
            "callees took {excess} more than their callers, all of it is counted"
        ));
    }
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
