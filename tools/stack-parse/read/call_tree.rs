//! A call tree whose nodes weigh what they and all below them took.

use common::{Pipe, Result, clean_frame};

use crate::samples::Samples;

/// A function on one path of calls.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub(crate) name: Vec<u8>,
    /// What it took, all that it called included.
    pub(crate) total: u64,
    /// The numbers of those it called.
    pub(crate) callees: Vec<usize>,
}

/// A walk through the tree, callers before callees.
struct Walk<'a> {
    calls: &'a [Call],
    /// A damaged graph may be no tree: a node counts for its first caller.
    seen: Vec<bool>,
    /// Nodes to visit, and how much of the stack's text is their caller's.
    pending: Vec<(usize, usize)>,
    /// Callees that are not there, or called elsewhere too.
    bad_callees: usize,
}

/// Adds what each call took itself, from `root` on. The sum is the root's
/// total, but for what is said on stderr.
pub(crate) fn add(
    calls: &[Call],
    root: usize,
    input: &str,
    samples: &mut Samples,
    pipe: &mut Pipe,
) -> Result<()> {
    let (seen, pending) = (vec![false; calls.len()], Vec::new());
    let mut walk = Walk { calls, seen, pending, bad_callees: 0 };
    let mut excess = 0;
    let mut stack = Vec::new();
    walk.enter(&[root], 0);
    while let Some((number, prefix)) = walk.pending.pop() {
        let call = &calls[number];
        stack.truncate(prefix);
        if prefix > 0 {
            stack.push(b';');
        }
        let name: &[u8] = if call.name.is_empty() { b"[no name]" } else { &call.name };
        clean_frame(name, &mut stack);
        let (total, below) = (u128::from(call.total), walk.enter(&call.callees, stack.len()));
        excess += below.saturating_sub(total);
        // It fits, since the total does.
        let own = total.saturating_sub(below) as u64;
        if own > 0 {
            pipe.count_read(own);
            samples.add_folded(&stack, own, pipe)?;
        }
    }
    walk.report(input, pipe);
    if excess > 0 {
        pipe.note(format_args!(
            "{input}: callees took {excess} more than their callers, all of it is counted"
        ));
    }
    Ok(())
}

impl Walk<'_> {
    /// Has `callees` visited next, in their order; what they took.
    fn enter(&mut self, callees: &[usize], prefix: usize) -> u128 {
        let mut below = 0;
        for &callee in callees.iter().rev() {
            match self.seen.get_mut(callee) {
                Some(seen) if !*seen => {
                    *seen = true;
                    below += u128::from(self.calls[callee].total);
                    self.pending.push((callee, prefix));
                }
                _ => self.bad_callees += 1,
            }
        }
        below
    }

    fn report(&self, input: &str, pipe: &mut Pipe) {
        let unreached = self.seen.iter().filter(|seen| !**seen).count();
        if self.bad_callees > 0 || unreached > 0 {
            pipe.note(format_args!(
                "{input}: expected a tree: {} callees are missing or called elsewhere too, \
                 {unreached} nodes are called by none; they are left out",
                self.bad_callees
            ));
        }
    }
}
