//! A call tree whose nodes weigh what they and all below them took.

use common::{FrameId, Result};

use crate::samples::Samples;
use crate::samples::sample::Sample;

/// A function on one path of calls.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub(crate) frames: Vec<FrameId>,
    /// What it took, all that it called included: a number for each measure.
    pub(crate) totals: Vec<u64>,
    /// The numbers of those it called.
    pub(crate) callees: Vec<usize>,
}

/// A walk through the tree, callers before callees.
struct Walk<'a> {
    calls: &'a [Call],
    /// A damaged graph may be no tree: a node counts for its first caller.
    seen: Vec<bool>,
    /// Nodes to visit, and how many frames of the stack are their callers'.
    pending: Vec<(usize, usize)>,
    /// Callees that are not there, or called elsewhere too.
    bad_callees: usize,
}

/// Adds what each call took itself, from `root` on. The sum is the root's
/// total, but for what is said on stderr. Where totals are short of numbers,
/// these are 0.
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

/// Says what callees took more than their callers, if they did.
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
    /// Has `callees` visited next, in their order; `below` is what they took.
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
                "expected a tree: {} callees are missing or called elsewhere too, \
                 {unreached} nodes are called by none; they are left out",
                self.bad_callees
            ));
        }
    }
}
