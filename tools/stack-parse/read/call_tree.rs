//! A call tree in which the weight of a node includes all nodes below it.

use common::Result;
use common::stacks::FrameId;

use crate::samples::Samples;
use crate::samples::sample::Sample;

/// A function on one path of calls.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub(crate) frames: Vec<FrameId>,
    /// Its weight with all callees, one number for each measure.
    pub(crate) totals: Vec<u64>,
    /// The indexes of its callees.
    pub(crate) callees: Vec<usize>,
}

/// A walk through the tree, callers before callees.
struct Walk<'a> {
    calls: &'a [Call],
    /// Nodes that were visited: if a damaged graph is not a tree, a node counts for its first
    /// caller.
    seen: Vec<bool>,
    /// Nodes to visit, and how many frames of the stack belong to their callers.
    pending: Vec<(usize, usize)>,
    /// Callees that are missing, or have another caller, too.
    bad_callees: usize,
}

/// Adds the own weight of each call, from `root` on. The sum is the root's total; a note reports
/// any difference. Missing totals count as 0.
pub(crate) fn add(
    calls: &[Call],
    root: usize,
    measures: usize,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let (seen, pending) = (vec![false; calls.len()], Vec::new());
    let mut walk = Walk { calls, seen, pending, bad_callees: 0 };
    let mut excess = vec![0u128; measures];
    let mut stack = Vec::new();
    let mut below = vec![0u128; measures];
    walk.enter(&[root], 0, &mut below);
    while let Some((number, prefix)) = walk.pending.pop() {
        let call = &calls[number];
        stack.truncate(prefix);
        stack.extend_from_slice(&call.frames);
        walk.enter(&call.callees, stack.len(), &mut below);
        let totals = (0..measures).map(|measure| total(call, measure));
        let own: Vec<u64> = totals
            .zip(below.iter().zip(&mut excess))
            .map(|(total, (&below, excess))| {
                *excess += below.saturating_sub(total);
                // It fits, since the total does.
                total.saturating_sub(below) as u64
            })
            .collect();
        if own.iter().any(|&weight| weight > 0) {
            samples.add(&Sample { weights: &own, ..Sample::default() }, &stack)?;
        }
    }
    walk.report(samples);
    excess.into_iter().for_each(|excess| note_excess(excess, samples));
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

fn total(call: &Call, measure: usize) -> u128 {
    call.totals.get(measure).copied().unwrap_or_default().into()
}

impl Walk<'_> {
    /// Queues `callees` to be visited next, in their order; sets `below` to the sum of their
    /// totals.
    fn enter(&mut self, callees: &[usize], prefix: usize, below: &mut [u128]) {
        below.fill(0);
        for &callee in callees.iter().rev() {
            match self.seen.get_mut(callee) {
                Some(seen) if !*seen => {
                    *seen = true;
                    for (measure, below) in below.iter_mut().enumerate() {
                        *below += total(&self.calls[callee], measure);
                    }
                    self.pending.push((callee, prefix));
                }
                _ => self.bad_callees += 1,
            }
        }
    }

    fn report(&self, samples: &mut Samples<'_>) {
        let unreached = self.seen.iter().filter(|seen| !**seen).count();
        if self.bad_callees > 0 || unreached > 0 {
            samples.note(format_args!(
                "expected a tree: {} callees are missing or have other callers, too; \
                 {unreached} nodes have no caller: they are left out",
                self.bad_callees
            ));
        }
    }
}
